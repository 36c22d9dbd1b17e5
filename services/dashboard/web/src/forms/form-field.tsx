import { optionsOf, type TextField } from '@expert-relay/sdk/forms';
import { showHidden } from '@expert-relay/sdk/safe';
import { type ReactNode, useId } from 'react';
import formStyles from '../ui/form.module.css';
import { Written } from '../ui/written.tsx';
import { ChoiceGroup } from './choice-group.tsx';
import { DateInput } from './date-input.tsx';
import styles from './fields.module.css';
import { isDateFormat, showsExactly } from './local-time.ts';
import { showLabel } from './show-label.ts';
import { TextBox } from './text-box.tsx';
import { type FieldProps, sentInstead } from './values.ts';

/** `legend`: the question, where the field is all that is asked. Its name says nothing then, and a title is a remark. */
export function FormField(props: FieldProps & { readonly legend?: ReactNode }) {
  const { name, field, legend, isRequired, problem } = props;
  const id = useId();
  const title = (
    <bdi>
      <Written text={showLabel(field.title ?? name)} />
    </bdi>
  );
  const isGroup = field.type === 'boolean' || optionsOf(field).length > 0;
  const Label = isGroup ? 'legend' : 'label';
  const Box = isGroup ? 'fieldset' : 'div';
  const notes = notesOf(props);
  const described = `${id}-about ${id}-problem`;
  return (
    <Box
      className={`${formStyles.field} ${styles.field}`}
      data-field={name}
      {...(isGroup && { 'aria-describedby': described })}
    >
      <Label className={formStyles.label} {...(!isGroup && { htmlFor: id })}>
        {legend ?? title}
        {!isRequired && <span className={styles.optional}> (optional)</span>}
      </Label>
      <div id={`${id}-about`} className={formStyles.hint}>
        {legend && field.title && <p className={styles.description}>{title}</p>}
        {field.description && (
          <p dir="auto" className={styles.description}>
            <Written text={showHidden(field.description, { prose: true })} />
          </p>
        )}
        {notes.map((note) => (
          <p key={note} dir="auto" className={styles.description}>
            {note}
          </p>
        ))}
      </div>
      <Control {...props} id={id} describedBy={described} isGroup={isGroup} />
      <p id={`${id}-problem`} role="status" className={problem ? formStyles.error : 'visually-hidden'}>
        {problem}
      </p>
    </Box>
  );
}

/** What the expert must know about what a control contains: also where the control cannot show it as it is. */
function notesOf({ field, value }: FieldProps): readonly string[] {
  const given = field.default === undefined ? undefined : [field.default].flat().map(String);
  const isDefault = given !== undefined && JSON.stringify(given) === JSON.stringify([value].flat());
  const filledIn = isDefault ? ['Suggested by the agent.'] : [];
  if (typeof value !== 'string' || value === '') return filledIn;
  const sent = sentInstead(field, value);
  if (sent !== undefined) return [...filledIn, `It is sent as: ${sent}`];
  if (field.type !== 'string') return filledIn;
  const visible = showHidden(value);
  const isHidden = visible !== value.replaceAll('\r\n', '\n');
  const format = formatOf(field);
  return [
    ...filledIn,
    ...(format === 'date-time' ? [`In your time zone, ${timeZone()}.`] : []),
    ...(isDateFormat(format) && !showsExactly(format, value) ? [`Exactly: ${visible}`] : []),
    ...(isHidden && optionsOf(field).length === 0 ? [`It has hidden characters: ${visible}`] : []),
  ];
}

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const formatOf = (field: FieldProps['field']) => ('format' in field ? field.format : undefined);

/** A text that may be longer gets several lines. */
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
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    value: String(value),
  };
  if (field.type === 'number' || field.type === 'integer') {
    const inputMode = field.type === 'number' ? 'decimal' : 'numeric';
    return <input {...typed} inputMode={inputMode} onChange={({ target }) => onChange(target.value)} />;
  }
  const format = formatOf(field);
  if (isDateFormat(format)) {
    return <DateInput {...shared} format={format} value={String(value)} onValue={onChange} />;
  }
  const text = { ...typed, onValue: onChange };
  if (format === 'email') return <TextBox {...text} isLine dir="ltr" inputMode="email" />;
  if (format === 'uri') return <TextBox {...text} isLine dir="ltr" inputMode="url" />;
  // Other controls were handled above.
  const { maxLength = Number.POSITIVE_INFINITY, default: given = '' } = field as TextField;
  return <TextBox {...text} isLine={maxLength <= maxLineLength && !/[\r\n]/.test(given)} dir="auto" />;
}
