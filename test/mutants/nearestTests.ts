import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const imported = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** The test files nearest to a file by imports, nearest first. */
export function nearestTests(file: string, files: readonly string[], max: number): string[] {
  const importers = importersOf(files)
  const seen = new Set([file])
  for (const one of seen) for (const importer of importers.get(one) ?? []) seen.add(importer)
  return [...seen].filter((one) => one.endsWith('.test.ts')).slice(0, max)
}

let cached: Map<string, string[]> | undefined

function importersOf(files: readonly string[]): Map<string, string[]> {
  if (cached !== undefined) return cached
  cached = new Map()
  for (const file of files)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imported)) {
      const target = normalize(join(dirname(file), path!))
      cached.set(target, [...(cached.get(target) ?? []), file])
    }
  return cached
}
