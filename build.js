// Compiles the packages, with what an install has: one without optional packages (npm ci
// --omit=optional) has neither the parts of the local chain nor the compiler's program for this
// platform.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { dependenciesOf, noticesOf } from './notices.js'
import { buildWeb } from './packages/web/build.js'

const root = import.meta.dirname
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** The whole name of a package's manifest: its entry may not be for import. */
function isInstalled(name, from = root) {
  const { resolve } = createRequire(join(from, 'package.json'))
  return resolve.paths(name).some((folder) => {
    try {
      return readFileSync(join(folder, name, 'package.json')).length > 0
    } catch {
      return false
    }
  })
}

/** Removes compiled files without a source of their own: an npm package contains all of dist. */
function removeStale(project) {
  const dist = join(project, 'dist')
  const { exports } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const compiled = exports['.']?.types === undefined ? /\.js$/ : /(\.d)?\.ts$|\.js$/
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const source = join(project, 'src', relative(dist, path))
    const isCurrent = entry.isDirectory() || existsSync(source.replace(compiled, '.ts'))
    if (!isCurrent) rmSync(path)
  }
}

const devnet = 'packages/devnet'
const { optionalDependencies } = readJson(`${devnet}/package.json`)
const hasDevnet = Object.keys(optionalDependencies).every((name) =>
  isInstalled(name, join(root, devnet)),
)
const projects = [
  'packages/server',
  'packages/client',
  'packages/mcp',
  ...(hasDevnet ? [devnet] : []),
].map((path) => join(root, path))

const platform = `${process.platform}-${process.arch}`
const { devDependencies } = readJson('package.json')
const compiler = `typescript@${devDependencies.typescript}`
const hasCompiler = isInstalled(`@typescript/typescript-${platform}`)
// Outside of the tree: there npm would take the compiler that cannot run.
const { status, error } = hasCompiler
  ? spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...projects],
      {
        cwd: root,
        stdio: 'inherit',
      },
    )
  : spawnSync(
      'npm',
      [
        'exec',
        '--yes',
        '--include=optional',
        `--package=${compiler}`,
        '--',
        'tsc',
        '-b',
        ...projects,
      ],
      { cwd: tmpdir(), stdio: 'inherit' },
    )
if (error) throw error
for (const project of [...projects, join(root, 'packages/protocol')]) {
  copyFileSync(join(root, 'LICENSE'), join(project, 'LICENSE'))
  removeStale(project)
}
if (!hasDevnet)
  process.stdout.write(
    'Built without the local chain, which is not installed: see docs/operate/operating.md.\n',
  )
const shipped = [
  ...dependenciesOf(join(root, 'packages/server')),
  ...dependenciesOf(join(root, 'packages/web')),
]
writeFileSync(
  join(root, 'NOTICE'),
  `Chaintape
Copyright 2026 The Chaintape Authors
Licensed under the Apache License, Version 2.0: see LICENSE.

An install for production contains these npm packages.

${noticesOf(shipped)}`,
)
// Types come first: the terminal takes what the compiler made of the other packages.
const webStatus =
  status === 0
    ? buildWeb({
        isInstalled: isInstalled(`@esbuild/${platform}`),
        version: devDependencies.esbuild,
      })
    : (status ?? 1)
process.exitCode = webStatus
// The site needs development packages and the pages, which an install for production lacks.
const hasSite = hasCompiler && isInstalled('vitepress') && existsSync(join(root, 'docs/.vitepress'))
if (webStatus === 0 && hasSite) {
  const { buildDocs } = await import('./docs/.vitepress/build.js')
  await buildDocs()
}
