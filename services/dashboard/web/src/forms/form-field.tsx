import { optionsOf } from '@expert-relay/sdk/forms';
import { showHidden } from '@expert-relay/sdk/text';
import { type ReactNode, useId } from 'react';
import formStyles from '../ui/form.module.css';
import { ChoiceGroup } from './choice-group.tsx';
import { DateInput } from './date-input.tsx';
import styles from './fields.module.css';
import type { FieldProps } from './values.ts';

export function FormField(props: FieldProps) {
  const { name, field, isRequired, problem, onLeave } = props;
  const id = useId();
  const label = <bdi>{showHidden(field.title ?? name)}</bdi>;
  const isGroup = field.type === 'boolean' || optionsOf(field).length > 0;
  const Label = isGroup ? 'legend' : 'label';
  const Box = isGroup ? 'fieldset' : 'div';
  const notes = notesOf(props);
  const described = `${id}-about ${id}-problem`;
  return (
    <Box
      className={`${formStyles.field} ${styles.field}`}
      data-field={name}
      onBlur={onLeave}
      {...(isGroup && { 'aria-describedby': described })}
    >
      <Label className={formStyles.label} {...(!isGroup && { htmlFor: id })}>
        {label}
        {!isRequired && <span className={styles.optional}> (optional)</span>}
      </Label>
      <div id={`${id}-about`} className={formStyles.hint}>
        {field.description && (
          <p dir="auto" className={styles.description}>
            {showHidden(field.description, { prose: true })}
          </p>
        )}
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
      <Control {...props} id={id} describedBy={described} isGroup={isGroup} />
      <p id={`${id}-problem`} role="status" className={problem ? formStyles.error : 'visually-hidden'}>
        {problem}
      </p>
    </Box>
  );
}

/** What the expert must know about what a control contains. */
function notesOf({ field, value }: FieldProps): readonly string[] {
  const given = field.default === undefined ? undefined : [field.default].flat().map(String);
  const isDefault = given !== undefined && JSON.stringify(given) === JSON.stringify([value].flat());
  const visible = typeof value === 'string' && field.type === 'string' ? showHidden(value) : value;
  return [
    ...(isDefault ? ['Filled in by the agent.'] : []),
    ...(field.type === 'string' && 'format' in field && field.format === 'date-time'
      ? [`In your time zone, ${timeZone()}.`]
      : []),
    ...(visible === value ? [] : [`It has hidden characters: ${visible}`]),
  ];
}

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A longer text gets several lines. */
const maxLineLength = 100;

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly describedBy: string;
  readonly isGroup: boolean;
}

function Control(props: ControlProps): ReactNode {
  const { id, field, value, isRequired, problem, describedBy, isGroup, onChange } = props;
  if (isGroup) return <ChoiceGroup {...props} />;
  const shared = {
    id,
    className: formStyles.input,
    'aria-required': isRequired,
    'aria-invalid': problem ? (true as const) : undefined,
    'aria-describedby': describedBy,
  };
  const typed = {
    ...shared,
    ...{ autoComplete: 'off', autoCapitalize: 'off', spellCheck: false },
    value: String(value),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (field.type === 'number') return <input {...typed} inputMode="decimal" />;
  if (field.type === 'integer') return <input {...typed} inputMode="numeric" />;
  // Other controls were handled above.
  const { format, maxLength = Number.POSITIVE_INFINITY } = field as { format?: string; maxLength?: number };
  switch (format) {
    case 'date':
    case 'date-time':
      return <DateInput {...shared} format={format} value={String(value)} onValue={onChange} />;
    // Not `type=email` and `type=url`: browsers change what was typed there.
    case 'email':
      return <input {...typed} dir="ltr" inputMode="email" />;
    case 'uri':
      return <input {...typed} dir="ltr" inputMode="url" />;
  }
  if (maxLength <= maxLineLength) return <input {...typed} dir="auto" />;
  return <textarea {...typed} dir="auto" rows={2} className={`${formStyles.input} ${styles.lines}`} />;
}
