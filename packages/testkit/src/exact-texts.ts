/*
 * Texts as honest agents send them, in which each character has a meaning: what is run, approved or edited is what is shown. The
 * tests of all surfaces show them: no character may be missing, or be in another order.
 */

/** No text begins or ends with white space, and none has a hidden character. */
export const exactTexts: Readonly<Record<string, string>> = {
  shell:
    'Run rm -rf /tmp/*.log /var/*_old_* ~/cache~1 on web-3?\nfor f in *.bak; do echo "$(basename `readlink "$f"`)" ~~ __init__; done # *all* of them',
  yaml: '# values.yaml\nargs: ["--allow=*", \'--deny=_*_\']\nenv:\n  - name: __DEBUG__\n    value: "*"\n  - &base {x: 1, <<: *other}\n---\nscript: |-\n    a > b\n\n    # not a heading',
  json: '{"path": "C:\\\\*\\\\temp", "globs": ["**/*.ts", "_*_"], "html": "<b>&amp;</b>", "empty": "", "n": -1.50e+3, "s": "a  b\\u2028"}',
  python:
    'Set __init__ and __main__ to 1?\nclass A:\n    __slots__ = ("_x_", "__y")\n    def __mul__(self, *args, **kwargs):\n        return self ** 2 if args else -1  # 2 * 3 * 4',
  sql: "DELETE FROM a WHERE x*2 > y*2 AND name LIKE '%\\_%' ESCAPE '\\';\nGRANT ALL ON *.* TO app@\"%\"; -- SELECT * FROM b",
  diff: 'diff --git a/deploy.yaml b/deploy.yaml\nindex 3f1c9a2..77b0e41 100644\n--- a/deploy.yaml\n+++ b/deploy.yaml\n@@ -1,6 +1,6 @@ spec:\n spec:\n-  replicas: 3\n+  replicas: 0\n   paths: ["/srv/*"]\n--- old comment\n+++ new comment\n   # unchanged\n\\ No newline at end of file',
  log: '2026-11-28T12:00:01.003Z [WARN]  web-3  *** retry #2 (1/5) ***\n2026-11-28T12:00:01.004Z [ERROR] <web-3> __main__: could not open "/var/run/_app_.lock" : ~ & | $HOME\n    at Pool.run (/srv/app/pool.js:12:34)\n\n===============\n1. first\n3. third',
  'regular expression':
    's/^(?:\\*{2,}|_+)([^\\]\\[]*?)\\1$/\\\\$1/gm and ^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$ or `\\``',
  'Windows path': 'del /s C:\\*\\temp\\_a_\\[1]\\~$x.docx \\\\server\\share\\#new\\*.* "%USERPROFILE%\\!\\"',
  table:
    '| Service | Region | Now | After | Cost | Owner | Risk |\n|:--|---|--:|:-:|---|---|---|\n| web-* | eu_west_1 | 12 | 0 | 1 \\| 2 | @ada | high: Black Friday is in two days |\n| db_2 | us | 3 | 1 | `a|b` | <bob> | none | surplus |',
  'right to left':
    'מחק את /srv/prod/*.log -> /srv/staging/_old_ לפני 12:30?\nהעתק /src/café-new → /prod/app\nانقل prod/a.txt إلى C:\\ב\\1.txt (2 > 1)',
  html: '<p class="a">1 &lt; 2 &amp;&amp; 3 > 2 &#42;&nbsp;</p><!-- DROP TABLE --><script>alert(1)</script>\n<b>*bold*</b> &copy; &notit; <a href=\'https://example.com/?a=1&b=2\'>x</a>',
};

/** Copies of a text, each with its number, to at least so many characters. Where something is missing, a number shows what. */
export function longText(text: string, characters = 40_000): string {
  const copies: string[] = [];
  for (let length = 0; length < characters; length += (copies.at(-1)?.length ?? 0) + 1) {
    copies.push(`${text}\n(${copies.length + 1})`);
  }
  return copies.join('\n');
}
