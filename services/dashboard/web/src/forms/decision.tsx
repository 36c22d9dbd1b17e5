import { showHidden } from '@expert-relay/sdk/text';
import styles from './decision.module.css';
import { describeDecision } from './describe-decision.ts';
import { readDecision, readForm } from './read-form.ts';

interface DecisionProps {
  /** The decision and its form, as JSON text. */
  readonly answerText: string;
  readonly formText: string | undefined;
}

/** What was chosen, in words. */
export function Decision({ answerText, formText }: DecisionProps) {
  const form = formText === undefined ? undefined : readForm(formText);
  const { title, fields } = describeDecision(readDecision(answerText), form);
  return (
    <div className={styles.decision}>
      <p className={styles.title}>{title}</p>
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(({ label, value }) => (
            <div key={label} className={styles.field}>
              <dt>
                <bdi>{showHidden(label)}</bdi>
              </dt>
              <dd>
                <bdi>{showHidden(value)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
