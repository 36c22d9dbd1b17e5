import { showHidden } from '@expert-relay/sdk/safe';
import styles from './tags.module.css';
import { Written } from './written.tsx';

interface TagsProps {
  readonly tags: readonly string[] | undefined;
  /** Shows those that fit into one line. */
  readonly isShort?: boolean;
}

/** The agent's words for sorting. Their frame keeps them apart from what the page itself says about a request. */
export const Tags = ({ tags, isShort = false }: TagsProps) =>
  tags &&
  tags.length > 0 && (
    <span className={isShort ? `${styles.tags} ${styles.short}` : styles.tags}>
      <span className="visually-hidden">Tags: </span>
      {tags.map((tag) => (
        <bdi key={tag} className={styles.tag}>
          <Written text={showHidden(tag)} />{' '}
        </bdi>
      ))}
    </span>
  );
