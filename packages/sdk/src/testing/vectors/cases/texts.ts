/** Unusual texts, named by their special property. */
export const texts: readonly (readonly [name: string, text: string])[] = [
  ['a plain one', 'May I drop the index on orders.created_at?'],
  ['several lines, tabs and a NUL', 'one\r\ntwo\n\tthree\u0000four'],
  ['a byte order mark in front', '\ufeffmarked'],
  ['accents, composed and not: they stay as they are', 'caf\u00e9 cafe\u0301'],
  ['the basic plane', 'Привет, 世界 שלום \u{fffd}\u{ffff}'],
  ['the supplementary planes 1 to 3', '😀 𝔘 👩‍👩‍👧 𠀀 \u{2ffff} \u{30000}'],
  [
    'planes 4 to 13, where nothing is',
    '\u{40000}\u{5abcd}\u{6ffff}\u{70000}\u{89abc}\u{90000}\u{a0000}\u{b0000}\u{c0000}\u{dffff}',
  ],
  ['planes 14 to 16', '\u{e0001}\u{f0000}\u{10fffd}\u{10ffff}'],
  ['a long one', 'A relay that cannot read. '.repeat(200)],
];
