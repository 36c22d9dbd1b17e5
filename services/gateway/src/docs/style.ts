/** The page's style: one column that fits a phone, light or dark as the reader has it. */
export const style = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; --line: #8885; --soft: #8881; }
body { max-width: 48rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
h1 { margin-bottom: 0; }
h2 { margin-top: 2.5rem; }
h4 { margin: 1.25rem 0 .25rem; }
h5 { margin: .75rem 0 .25rem; font-size: .95rem; }
h5 span { font-weight: normal; }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--soft); border-radius: .25rem; }
code { padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .75rem; overflow-x: auto; }
dl { margin: .25rem 0 1rem; }
dt { margin-top: .4rem; }
dd { margin: 0 0 0 1rem; }
small { opacity: .75; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: 0 .9rem; }
details[open] { padding-bottom: .75rem; }
summary { cursor: pointer; padding: .6rem 0; }
summary b { display: inline-block; min-width: 3.6rem; font-size: .8rem; letter-spacing: .03em; }
summary span { opacity: .85; }
.get { color: #0a7d4b; } .post { color: #1a66d6; } .put { color: #a86400; } .delete { color: #c8322b; }
@media (prefers-color-scheme: dark) {
  .get { color: #4cc38a; } .post { color: #70a8ff; } .put { color: #e2a336; } .delete { color: #ff7b72; }
}
`;
