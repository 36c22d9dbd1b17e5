import { useId } from 'react';
import styles from './form.module.css';

interface SwitchProps {
  readonly label: string;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch whose change applies at once. */
export function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className={styles.switch}
        checked={isOn}
        aria-checked={isOn}
        aria-describedby={hint && `${id}-hint`}
        onChange={({ target }) => onChange(target.checked)}
      />
      <div>
        <label htmlFor={id} className={styles.choiceLabel}>
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className={styles.choiceHint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
