import { useId } from 'react';
import styles from './form.module.css';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

interface ChoicesProps<T extends string> {
  readonly legend: string;
  /** Hides the legend, for use below a heading with the same text. */
  readonly isLegendHidden?: boolean;
  readonly isInLine?: boolean;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A group of radio buttons. */
export function Choices<T extends string>(props: ChoicesProps<T>) {
  const { legend, isLegendHidden = false, isInLine = false, choices, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={isInLine ? `${styles.choices} ${styles.inLine}` : styles.choices}>
      <legend className={isLegendHidden ? 'visually-hidden' : styles.label}>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            className={styles.mark}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.label}
            {choice.hint && <span className={styles.choiceHint}>{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
