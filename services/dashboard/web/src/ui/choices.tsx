import { type ReactNode, useId } from 'react';
import styles from './form.module.css';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** One of a few, all of them in sight. */
export function Choices<T extends string>({
  legend,
  isLegendHidden = false,
  choices,
  value,
  onChange,
  children,
}: {
  legend: string;
  isLegendHidden?: boolean;
  choices: readonly Choice<T>[];
  value: T;
  onChange: (value: T) => void;
  children?: ReactNode;
}) {
  const name = useId();
  return (
    <fieldset className={styles.choices}>
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
      {children}
    </fieldset>
  );
}
