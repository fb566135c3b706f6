// Bundles the terminal into what the server serves from memory: one document, and parts that have
// their hash in their names.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { noticesOf, packagesOf } from '../../notices.js'

const here = import.meta.dirname
const served = join(here, '../server/static/terminal')

const optionsOf = (out, metafile) => [
  join(here, 'src/early.ts'),
  join(here, 'src/main.tsx'),
  ...['--bundle', '--minify', '--format=esm', '--splitting', '--target=es2022'],
  ...['--jsx=automatic', '--jsx-import-source=preact', '--legal-comments=eof'],
  ...['--entry-names=[name]-[hash]', '--chunk-names=[name]-[hash]', '--log-level=warning'],
  ...[`--outdir=${out}`, `--metafile=${metafile}`],
]

/**
 * Files that the document loads: the scripts with the styles that they import, and what they need at
 * once.
 */
function documentOf({ outputs }, licenses) {
  const entryOf = (source) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source))
  const [early, { imports }] = entryOf('src/early.ts')
  const [main, entry] = entryOf('src/main.tsx')
  const parts = [...imports, ...entry.imports]
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => basename(path))
  const preloads = [...new Set(parts)]
    .filter((part) => part !== basename(early))
    .map((part) => `<link rel="modulepreload" href="/assets/${part}" />`)
  return readFileSync(join(here, 'src/index.html'), 'utf8')
    .replace('/assets/early.js', `/assets/${basename(early)}`)
    .replace('/assets/licenses.txt', `/assets/${licenses}`)
    .replace('/assets/main.js', `/assets/${basename(main)}`)
    .replace('/assets/main.css', `/assets/${basename(entry.cssBundle)}`)
    .replace('<!-- preloads -->', preloads.join('\n    '))
}

/** Writes the licenses of the packages in the bundle. Returns the name of the file. */
function writeLicenses({ inputs }, cwd, out) {
  const text = noticesOf(packagesOf(Object.keys(inputs).map((path) => join(cwd, path))))
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()
  const name = `licenses-${hash}.txt`
  writeFileSync(join(out, name), text)
  return name
}

/**
 * Removes the files of earlier builds. A service that starts during a build finds the earlier files
 * until then.
 */
function removeOthers(out, names) {
  for (const name of readdirSync(out)) if (!names.includes(name)) rmSync(join(out, name))
}

/**
 * `version` is fetched where the bundler's program for this platform is not installed. Gives the
 * exit code.
 */
export function buildWeb({ isInstalled, version, out = served }) {
  const metafile = join(here, 'dist/bundle.json')
  mkdirSync(join(here, 'dist'), { recursive: true })
  const options = optionsOf(out, metafile)
  const esbuild = join(here, '../../node_modules/esbuild/bin/esbuild')
  const fetched = ['exec', '--yes', '--include=optional', `--package=esbuild@${version}`, '--']
  // Outside of the tree npm would not take the one that cannot run; the parts are found from where
  // the sources are.
  const cwd = isInstalled ? here : realpathSync(tmpdir())
  const { status, error } = isInstalled
    ? spawnSync(esbuild, options, { cwd, stdio: 'inherit' })
    : spawnSync('npm', [...fetched, 'esbuild', ...options], { cwd, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) return status ?? 1
  const bundle = JSON.parse(readFileSync(metafile, 'utf8'))
  const licenses = writeLicenses(bundle, cwd, out)
  writeFileSync(join(out, 'index.html'), documentOf(bundle, licenses))
  removeOthers(out, [
    'index.html',
    licenses,
    ...Object.keys(bundle.outputs).map((path) => basename(path)),
  ])
  return 0
}
