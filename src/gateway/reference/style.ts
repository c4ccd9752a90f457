/** Colours by what the reader prefers; text stands out by more than 7 to 1 in both. */
export const style = `
:root { color-scheme: light dark; --text: light-dark(#1c2430, #e6eaf0); --soft: light-dark(#4a5566, #b3bdcb);
  --page: light-dark(#ffffff, #12161c); --panel: light-dark(#f3f5f8, #1b2129); --line: light-dark(#d5dbe3, #323b47);
  --link: light-dark(#0b4f9e, #8fc1ff); --post: light-dark(#17603a, #7fd6a4); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .5rem; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1.25rem; background: var(--panel);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { font-size: .8125rem; margin: 1.25rem 0 .25rem; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .2rem 0; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0; font-size: 2rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); }
main > section > h2 { margin: 3.5rem 0 .25rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article { margin: 2.25rem 0 3rem; }
article h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
article h3 a { color: inherit; text-decoration: none; }
article h3 a:hover { text-decoration: underline; }
h4 { margin: 1.25rem 0 .35rem; font-size: .9375rem; }
.method { display: inline-block; min-width: 3.2rem; font: 700 .8125rem ui-monospace, monospace; color: var(--link); }
.post { color: var(--post); }
.path { font-family: ui-monospace, monospace; }
.summary { font-size: 1.0625rem; margin: .35rem 0; }
.soft { color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { background: var(--panel); border-radius: .2rem; padding: .05rem .25rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem 1rem;
  overflow-x: auto; margin: .5rem 0; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { color: var(--soft); font-size: .8125rem; }
td:first-child, th:first-child { white-space: nowrap; }
.wide { overflow-x: auto; }
summary { cursor: pointer; }
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: 14rem; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.5rem 1.25rem 4rem; }
}
`;
