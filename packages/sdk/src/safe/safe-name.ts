const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Names of devices on Windows, with any extension. Superscript digits count there as digits. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?=\.|$)/i;
/** In code points, besides the extension. With these, a name has less than 255 bytes in UTF-8. */
const maxLength = 56;

/**
 * A file name on this machine, made of a name that a sender chose: no folders, nothing invisible, and not too long. It may be
 * the name of a file that exists.
 *
 * @example
 * await writeFile(join(folder, safeName(file.name)), file.bytes, { flag: 'wx', mode: 0o600 });
 */
export function safeName(name: string): string {
  const shown = name.normalize('NFC').replace(invisible, '');
  const base = (shown.split(/[/\\]/).at(-1) ?? '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(device, '_$&');
  const [, stem = base, extension = ''] = /^(.+?)(\.\w{1,10})$/.exec(base) ?? [];
  const short = [...stem].slice(0, maxLength).join('').trimEnd();
  return short + extension || 'file';
}
