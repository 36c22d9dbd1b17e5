import type { Deciding } from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { showHidden } from '@expert-relay/sdk/safe';
import { Written } from '../ui/written.tsx';
import styles from './decision.module.css';
import { describeDecision } from './describe-decision.ts';
import { showLabel } from './show-label.ts';

interface DecisionProps {
  /** Undefined when this version cannot read it. */
  readonly answer: Deciding | undefined;
  readonly form: Form | undefined;
}

/** What was chosen, in words. */
export function Decision({ answer, form }: DecisionProps) {
  const { title, fields } = describeDecision(answer, form);
  return (
    <div className={styles.decision}>
      <p className={styles.title}>{title}</p>
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(({ label, values }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change, and two fields may have the same title.
            <div key={index} className={styles.field}>
              <dt>
                <bdi>
                  <Written text={showLabel(label)} />
                </bdi>
              </dt>
              {/* An option may contain a comma. */}
              {values.map((value) => (
                <dd key={value}>
                  <bdi>
                    <Written text={showHidden(value)} />
                  </bdi>
                </dd>
              ))}
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
