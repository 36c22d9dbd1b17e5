import { type ComponentProps, type ReactNode, type Ref, useId } from 'react';
import styles from './form.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Announced, and shown below. */
  readonly error?: string | undefined;
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & FieldProps;

/** For codes: the keyboard and the browser must not correct or complete them. */
const asTyped = {
  autoComplete: 'off',
  autoCapitalize: 'characters',
  autoCorrect: 'off',
  spellCheck: false,
} as const;

export const CodeField = (props: TextFieldProps) => <TextField {...asTyped} {...props} />;

interface LongCodeFieldProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly className: string | undefined;
  readonly ref: Ref<HTMLTextAreaElement>;
}

/** For a code that is longer than a phone is wide: it wraps, and Enter submits its form. */
export const LongCodeField = ({ label, hint, error, className, onValue, ...rest }: LongCodeFieldProps) => (
  <Field label={label} hint={hint} error={error} className={className}>
    {(control) => (
      <textarea
        {...asTyped}
        {...rest}
        {...control}
        rows={2}
        enterKeyHint="go"
        onChange={({ target }) => onValue(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    )}
  </Field>
);

export const TextField = ({ label, hint, error, className, ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error} className={className}>
    {(control) => <input {...rest} {...control} />}
  </Field>
);

interface ControlProps {
  readonly id: string;
  readonly className: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface FieldAroundProps extends FieldProps {
  readonly className: string | undefined;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A control with its label, and what belongs to it. */
function Field({ label, hint, error, className, children }: FieldAroundProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        className: [styles.input, className].filter(Boolean).join(' '),
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      <p id={`${id}-error`} role="alert" className={error ? styles.error : 'visually-hidden'}>
        {error}
      </p>
    </div>
  );
}
