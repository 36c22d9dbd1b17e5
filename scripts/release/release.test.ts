import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { findHelm } from '../chart/testing/go-tool.ts';
import { withHelm } from '../chart/testing/helm.ts';
import { root } from '../local/home.ts';
import { serviceNames } from '../local/services.ts';
import { closeSection, readSection } from './changelog.ts';
import { makeFiles } from './make-files.ts';
import { publishCommands } from './publish.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json'));

describe('the changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.0.0 - 2026-01-02\n\n- First.\n';

  test('a section ends where the next one begins', () => {
    expect(readSection(changelog, 'Unreleased')).toBe('- New.');
    expect(readSection(changelog, '1.0.0')).toBe('- First.');
  });

  test('a release takes the changes since the last one', () => {
    const closed = closeSection(changelog, '1.1.0', '2026-02-03');
    expect(closed).toContain('## 1.1.0 - 2026-02-03\n\n- New.\n\n## 1.0.0');
    expect(readSection(closed, 'Unreleased')).toBe('');
  });

  test.each([
    ['a version that exists', changelog, '1.0.0', /has a section "## 1.0.0" already/],
    ['nothing to release', closeSection(changelog, '1.1.0', 'today'), '1.2.0', /says nothing under/],
    ['no section for changes', '# Changelog\n', '1.0.0', /has no section "## Unreleased"/],
  ])('is refused: %s', (_case, text, next, message) => {
    expect(() => closeSection(text, next, 'today')).toThrow(message);
  });

  test('of this repository can be released', () => {
    expect(closeSection(read('CHANGELOG.md'), '99.0.0', '2026-01-01')).toContain('## 99.0.0 - 2026-01-01');
  });
});

describe('the images', () => {
  const dockerfile = read('Dockerfile');
  const { images } = JSON.parse(read('docker-bake.json')).target;

  test('each target of the Dockerfile is built, for both kinds of processors', () => {
    const targets = [...dockerfile.matchAll(/^FROM runtime AS (\S+)$/gm)].map(([, target]) => target);
    expect([...serviceNames].sort()).toEqual(targets.sort());
    expect([...images.matrix.service].sort()).toEqual(targets);
    expect(images.platforms).toEqual(['linux/amd64', 'linux/arm64']);
    const args = [...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
    expect(Object.keys(images.args).sort()).toEqual(args.sort());
  });

  test('on a base that is named by digest, and is the one of the Dockerfile', () => {
    const [, name] = /^ARG BASE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    const command = execFileSync('npm', ['run', '--silent', 'release', '--', 'images', '--dry-run'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(command).toMatch(new RegExp(`BASE_IMAGE=${name}@sha256:[0-9a-f]{64} docker buildx bake `));
    expect(command).toContain(`VERSION=${version} REVISION=`);
  });
});

withHelm('the files of a release', async () => {
  const digest = `sha256:${'1'.repeat(64)}`;
  writeFileSync(join(folder, 'images.json'), JSON.stringify({ hub: { 'containerimage.digest': digest } }));
  writeFileSync(join(folder, 'old.tgz'), 'of an older release');
  const changelog = read('CHANGELOG.md').includes(`## ${version}`) ? version : 'Unreleased';
  const helm = await findHelm();
  if ('missing' in helm) throw new Error(helm.missing);
  await makeFiles({ version, section: changelog, folder, helm: helm.path });

  const published = publishCommands(version, folder)
    .flat()
    .filter((argument) => argument.startsWith(folder));
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual(expect.arrayContaining(published));
  expect(readdirSync(folder)).not.toContain('old.tgz');

  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const unlisted = ['SHA256SUMS', 'NOTES.md', 'images.json', 'python'];
  expect(sums.length).toBe(readdirSync(folder).length - unlisted.length);
  const python = `expert_relay-${version}`;
  expect(readdirSync(join(folder, 'python')).sort()).toEqual([
    `${python}-py3-none-any.whl`,
    `${python}.tar.gz`,
  ]);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });

  const chart = join(folder, `expert-relay-${version}.tgz`);
  const values = parse(execFileSync(helm.path, ['show', 'values', chart], { encoding: 'utf8' }));
  expect(values.services.hub.image.digest).toBe(digest);
  expect(values.services.gateway.image.digest).toBe('');

  const { bomFormat, components } = JSON.parse(
    readFileSync(join(folder, `expert-relay-${version}.cdx.json`), 'utf8'),
  );
  expect(bomFormat).toBe('CycloneDX');
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['express', 'nats', 'zod', 'react', '@modelcontextprotocol/server']),
  );
  for (const tool of ['jest', 'esbuild', 'vite', '@bufbuild/buf', 'openai'])
    expect(names).not.toContain(tool);
  const express = components.find(({ name }: { name: string }) => name === 'express');
  expect(express).toMatchObject({ licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512' }] });
});
