// Builds the site into what the server serves at /docs, unless nothing that it is made of changed.
import { createHash } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const root = join(here, '../..')
const served = join(root, 'packages/server/static/docs')
const built = join(here, 'dist')
const hashName = '.inputs'

const inputs = [
  ...['docs', 'bench/README.md', 'deploy/README.md'],
  'node_modules/vitepress/package.json',
]

/** Hash of every file that the site is made of. */
function hashOfInputs() {
  const hash = createHash('sha256')
  const rootPages = readdirSync(root).filter((name) => name.endsWith('.md'))
  const isOutput = /^docs\/\.vitepress\/(dist|cache|\.temp)\b/
  const files = [...inputs, ...rootPages]
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) =>
      statSync(join(root, path)).isDirectory()
        ? readdirSync(join(root, path), { recursive: true }).map((name) => `${path}/${name}`)
        : path,
    )
    .filter((path) => !isOutput.test(path) && statSync(join(root, path)).isFile())
  for (const path of files.sort()) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Leaves an earlier site alone where VitePress is not installed. */
export async function buildDocs() {
  const hash = hashOfInputs()
  const hashFile = join(served, hashName)
  if (existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) return
  const { build } = await import('vitepress')
  await build(join(root, 'docs'), { logLevel: 'warn' })
  writeFileSync(join(built, hashName), hash)
  // A service that starts during a build finds one site or the other.
  rmSync(served, { recursive: true, force: true })
  renameSync(built, served)
}
