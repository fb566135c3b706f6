// Answers of this tree equal those of the reference, except for the differences in
// `differences.ts`.
import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differencesBetween, type Line } from './compare.ts'
import { intendedDifferences } from './differences.ts'
import { openReference, root } from './reference.ts'

const shownMax = 20

/** Runs the tree's own program. Its lines are kept in `.equality/` for inspection. */
async function dump(tree: string, file: string): Promise<Line[]> {
  const child = spawn(join(tree, 'node_modules/.bin/tsx'), ['test/equality/dump.ts'], {
    cwd: tree,
    stdio: ['ignore', openSync(file, 'w'), 'pipe'],
  })
  let stderr = ''
  child.stderr!.on('data', (bytes) => {
    stderr += bytes
  })
  const code = await new Promise((ended) => child.on('close', ended))
  if (code !== 0) throw new Error(`The dump of ${tree} ended with ${code}: ${stderr}`)
  const texts = readFileSync(file, 'utf8').trimEnd().split('\n')
  return texts.map((text) => JSON.parse(text))
}

test('behavior: this tree answers what the reference answers', async () => {
  const reference = await openReference()
  const folder = join(root, '.equality')
  const [expected, found] = await Promise.all([
    dump(reference, join(folder, 'reference.ndjson')),
    dump(root, join(folder, 'current.ndjson')),
  ])
  const differences = differencesBetween(expected, found, intendedDifferences)
  for (const part of new Set(expected.map((line) => line.part)))
    console.log(`${part}: ${expected.filter((line) => line.part === part).length} lines compared`)
  expect(differences.slice(0, shownMax), `${differences.length} differences`).toEqual([])
})
