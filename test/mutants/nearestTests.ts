import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const imported = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+|@chaintape\/[^']+)'/g

/**
 * The test files nearest to a file, nearest first: those in its folder, then the others by imports.
 */
export function nearestTests(file: string, files: readonly string[], max: number): string[] {
  const importers = importersOf(files)
  const seen = new Set([file])
  for (const one of seen) for (const importer of importers.get(one) ?? []) seen.add(importer)
  const beside = files.filter((one) => dirname(one) === dirname(file) && seen.has(one))
  return [...new Set([...beside, ...seen])].filter((one) => one.endsWith('.test.ts')).slice(0, max)
}

let cached: Map<string, string[]> | undefined

function importersOf(files: readonly string[]): Map<string, string[]> {
  if (cached !== undefined) return cached
  cached = new Map()
  for (const file of files)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imported)) {
      const target = fileOf(path!, file)
      cached.set(target, [...(cached.get(target) ?? []), file])
    }
  return cached
}

function fileOf(path: string, importer: string): string {
  if (path.startsWith('.')) return normalize(join(dirname(importer), path))
  const [, name, entry = 'index'] = path.split('/')
  return `packages/${name}/src/${entry}.ts`
}
