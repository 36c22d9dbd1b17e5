import type { Choice } from './choices.tsx';
import styles from './form.module.css';

interface CheckboxesProps<T extends string> {
  readonly legend: string;
  readonly choices: readonly Choice<T>[];
  readonly values: readonly T[];
  readonly onChange: (values: readonly T[]) => void;
  readonly error?: string | undefined;
}

/** A group of checkboxes. The values keep the order of the choices. */
export function Checkboxes<T extends string>(props: CheckboxesProps<T>) {
  const { legend, choices, values, onChange, error } = props;
  const change = (changed: T, isChosen: boolean) =>
    onChange(
      choices
        .map(({ value }) => value)
        .filter((value) => (value === changed ? isChosen : values.includes(value))),
    );
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.label}>{legend}</legend>
      {choices.map(({ value, label, hint }) => (
        <label key={value} className={styles.choice}>
          <input
            type="checkbox"
            className={styles.mark}
            checked={values.includes(value)}
            onChange={({ target }) => change(value, target.checked)}
          />
          <span>
            {label}
            {hint && <span className={styles.choiceHint}>{hint}</span>}
          </span>
        </label>
      ))}
      <p role="alert" className={error ? styles.error : 'visually-hidden'}>
        {error}
      </p>
    </fieldset>
  );
}
