import { type ReactNode, useId } from 'react';
import styles from './form.module.css';

interface SelectFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice from a list that is too long for radio buttons. */
export function SelectField({ label, hint, options, value, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <select
        id={id}
        className={styles.input}
        aria-describedby={hint ? `${id}-hint` : undefined}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
