import { StepError } from '../terminal/failure.ts';

const headings = /^## .*$/gm;

/** The section of a version, without its heading. */
export function readSection(changelog: string, version: string): string {
  const heading = [...changelog.matchAll(headings)].find(([line]) => isOf(line, version));
  if (!heading) throw new StepError(`CHANGELOG.md has no section "## ${version}".`);
  const start = heading.index + heading[0].length;
  const next = changelog.slice(start).search(headings);
  return changelog.slice(start, next === -1 ? undefined : start + next).trim();
}

/** Gives the changes since the last release a version and a date, and begins a new section above them. */
export function closeSection(changelog: string, version: string, date: string): string {
  if (readSection(changelog, 'Unreleased') === '') {
    throw new StepError('CHANGELOG.md says nothing under "## Unreleased". Describe what users will notice.');
  }
  if ([...changelog.matchAll(headings)].some(([line]) => isOf(line, version))) {
    throw new StepError(`CHANGELOG.md has a section "## ${version}" already.`);
  }
  return changelog.replace('## Unreleased', `## Unreleased\n\n## ${version} - ${date}`);
}

const isOf = (heading: string, version: string): boolean => heading.split(' ')[1] === version;
