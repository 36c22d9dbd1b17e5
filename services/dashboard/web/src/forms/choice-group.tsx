import { type Field, type FieldOption, optionsOf } from '@expert-relay/sdk/forms';
import { useId, useState } from 'react';
import formStyles from '../ui/form.module.css';
import { Written } from '../ui/written.tsx';
import styles from './fields.module.css';
import { showLabel } from './show-label.ts';
import type { FieldProps } from './values.ts';

/** From this number of options on there is a filter. */
const minFiltered = 7;

/** The options of a choice as rows: radio buttons, or checkboxes where several can be chosen. */
export function ChoiceGroup({ name, field, value, isRequired, problem, onChange }: FieldProps) {
  const group = useId();
  const [filter, setFilter] = useState('');
  const isMany = field.type === 'array';
  const chosen = new Set([value].flat());
  const options = choicesOf(field, isRequired);
  const wanted = filter.trim().toLowerCase();
  // What is chosen is always shown.
  const shown = options.filter(
    (option) => chosen.has(option.value) || showLabel(option.title).toLowerCase().includes(wanted),
  );
  const change = (option: FieldOption, isChosen: boolean) => {
    if (!isMany) return onChange(option.value);
    onChange(
      options.map((one) => one.value).filter((one) => (one === option.value ? isChosen : chosen.has(one))),
    );
  };
  return (
    <>
      {options.length >= minFiltered && (
        <input
          type="search"
          className={formStyles.input}
          aria-label={`Filter the options of ${showLabel(field.title ?? name)}`}
          placeholder="Filter"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      <div className={styles.options} data-row={field.type === 'boolean' || undefined}>
        {shown.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type={isMany ? 'checkbox' : 'radio'}
              name={group}
              className={formStyles.mark}
              aria-invalid={problem ? true : undefined}
              checked={chosen.has(option.value)}
              onChange={({ target }) => change(option, target.checked)}
            />
            <bdi>
              <Written text={showLabel(option.title)} />
            </bdi>
          </label>
        ))}
      </div>
      {options.length >= minFiltered && (
        <p role="status" className={formStyles.hint}>
          {wanted ? `${shown.length} of ${options.length} options` : `${options.length} options`}
        </p>
      )}
    </>
  );
}

function choicesOf(field: Field, isRequired: boolean): readonly FieldOption[] {
  if (field.type === 'array') return optionsOf(field);
  const yesOrNo = [
    { value: 'true', title: 'Yes' },
    { value: 'false', title: 'No' },
  ];
  const options = field.type === 'boolean' ? yesOrNo : optionsOf(field);
  // A radio button cannot be cleared.
  return isRequired ? options : [...options, { value: '', title: 'No answer' }];
}
