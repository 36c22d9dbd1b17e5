import { showHidden } from '@expert-relay/sdk/safe';
import { Link } from 'wouter';
import styles from './tags.module.css';
import { Written } from './written.tsx';

interface TagsProps {
  readonly tags: readonly string[] | undefined;
  /** The list of the requests with a tag. Without it, only the tags that fit into one line are shown. */
  readonly hrefOf?: (tag: string) => string;
}

/** The agent's words for sorting. Their frame keeps them apart from what the page itself says about a request. */
export const Tags = ({ tags, hrefOf }: TagsProps) =>
  tags &&
  tags.length > 0 && (
    <span className={hrefOf ? styles.tags : `${styles.tags} ${styles.short}`}>
      <span className="visually-hidden">Tags: </span>
      {tags.map((tag) =>
        hrefOf ? (
          <Link key={tag} className={styles.link} href={hrefOf(tag)} title="Only this tag">
            <bdi className={styles.tag}>
              <Written text={showHidden(tag)} />
            </bdi>
          </Link>
        ) : (
          <bdi key={tag} className={styles.tag} data-tag={tag} title="Only this tag">
            <Written text={showHidden(tag)} />{' '}
          </bdi>
        ),
      )}
    </span>
  );
