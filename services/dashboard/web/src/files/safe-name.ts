const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Names of devices on Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const maxLength = 100;

/** A name for a downloaded file, of a name that a sender chose: no folders, nothing invisible, and not too long. */
export function safeName(name: string): string {
  const shown = name.normalize('NFC').replace(invisible, '');
  const base = (shown.split(/[/\\]/).at(-1) ?? '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(device, '_$&');
  const [, stem = base, extension = ''] = /^(.+?)(\.\w{1,10})$/.exec(base) ?? [];
  return [...stem].slice(0, maxLength).join('') + extension || 'file';
}
