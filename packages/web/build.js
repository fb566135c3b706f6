// Bundles the terminal into what the server serves from memory: one document, and parts that have their hash in their names.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const here = import.meta.dirname
const out = join(here, '../server/static/terminal')
const metafile = join(here, 'dist/bundle.json')

const options = [
  join(here, 'src/main.tsx'),
  ...['--bundle', '--minify', '--format=esm', '--splitting', '--target=es2022'],
  ...['--jsx=automatic', '--jsx-import-source=preact', '--legal-comments=eof'],
  ...['--entry-names=[name]-[hash]', '--chunk-names=[name]-[hash]', '--log-level=warning'],
  ...[`--outdir=${out}`, `--metafile=${metafile}`],
]

/** What the document loads: the script with the styles that it imports, and what the script needs at once. */
function documentOf({ outputs }) {
  const [path, entry] = Object.entries(outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('src/main.tsx'),
  )
  const preloads = entry.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map((part) => `<link rel="modulepreload" href="/assets/${basename(part.path)}" />`)
  return readFileSync(join(here, 'src/index.html'), 'utf8')
    .replace('/assets/main.js', `/assets/${basename(path)}`)
    .replace('/assets/main.css', `/assets/${basename(entry.cssBundle)}`)
    .replace('<!-- preloads -->', preloads.join('\n    '))
}

/** `version` is fetched where the bundler's program for this platform is not installed. Gives the exit code. */
export function buildWeb({ isInstalled, version }) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(here, 'dist'), { recursive: true })
  const esbuild = join(here, '../../node_modules/esbuild/bin/esbuild')
  const fetched = ['exec', '--yes', '--include=optional', `--package=esbuild@${version}`, '--']
  // Outside of the tree npm would not take the one that cannot run; the parts are found from where the sources are.
  const { status, error } = isInstalled
    ? spawnSync(esbuild, options, { cwd: here, stdio: 'inherit' })
    : spawnSync('npm', [...fetched, 'esbuild', ...options], { cwd: tmpdir(), stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) return status ?? 1
  writeFileSync(join(out, 'index.html'), documentOf(JSON.parse(readFileSync(metafile, 'utf8'))))
  return 0
}
