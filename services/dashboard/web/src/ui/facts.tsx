import styles from './facts.module.css';

/** Terms, each with a sentence below it. */
export const Facts = ({ facts }: { facts: readonly (readonly [term: string, sentence: string])[] }) => (
  <dl className={styles.facts}>
    {facts.map(([term, sentence]) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>{sentence}</dd>
      </div>
    ))}
  </dl>
);
