import { Button, CancelButton } from './button.tsx';
import rows from './rows.module.css';

interface FormButtonsProps {
  /** The texts of the main button: before, and while the action runs. */
  readonly submit: readonly [label: string, busyLabel: string];
  readonly isBusy: boolean;
  /** Without it, the main button submits its form. */
  readonly onSubmit?: () => void;
  readonly onCancel: () => void;
}

/** The buttons at the end of a form in a row or a panel. */
export const FormButtons = ({ submit, isBusy, onSubmit, onCancel }: FormButtonsProps) => (
  <div className={rows.actions}>
    <Button look="main" type={onSubmit ? 'button' : 'submit'} isBusy={isBusy} onClick={onSubmit}>
      {submit[isBusy ? 1 : 0]}
    </Button>
    <CancelButton onCancel={onCancel} />
  </div>
);
