import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { differencesBetween, type IntendedDifference, type Line } from './compare.ts'
import { adding, root } from './reference.ts'

const reference: Line[] = [
  { part: 'state', name: 'block 1', value: { state: 'ab', reads: 'cd' } },
  { part: 'state', name: 'block 2', value: { state: 'ef', reads: '01' } },
  { part: 'frames', name: 'tx', value: ['{"usd":"1.25"}'] },
]
const [first, second, frames] = reference as [Line, Line, Line]

const stateGone: IntendedDifference = {
  what: 'snapshots have another form',
  since: '1.0.0',
  why: 'a test',
  applies: ({ part }) => part === 'state',
  now: (line) => ({ ...line, value: { reads: (line.value as { reads: string }).reads } }),
}

test('default: equal lines in any order do not differ', () => {
  expect(differencesBetween(reference, reference.toReversed())).toEqual([])
})

test('behavior: changed, missing and new lines are named', () => {
  const changed = { ...frames, value: ['{"usd":"1.26"}'] }
  const added = { ...frames, name: 'price' }
  expect(differencesBetween(reference, [first, changed, added])).toEqual([
    'state: block 2: missing',
    [
      'frames: tx: at character 16',
      String.raw`  was ["{\"usd\":\"1.25\"}"]`,
      String.raw`  now ["{\"usd\":\"1.26\"}"]`,
    ].join('\n'),
    'frames: price: not in the reference',
  ])
})

test('behavior: an intended difference explains the lines it applies to, and no others', () => {
  const now = [first, second].map(stateGone.now) as Line[]
  expect(differencesBetween(reference, [...now, frames], [stateGone])).toEqual([])
  const wrong = { ...now[1]!, value: { reads: '02' } }
  expect(differencesBetween(reference, [now[0]!, wrong, frames], [stateGone])).toHaveLength(1)
  const changed = { ...frames, value: [] }
  expect(differencesBetween(reference, [...now, changed], [stateGone])).toHaveLength(1)
})

test('behavior: an intended difference removes and adds lines', () => {
  const replaced = { ...stateGone, applies: ({ name }: Line) => name !== 'tx', now: () => null }
  const added = { ...first, name: 'block 3' }
  expect(differencesBetween(reference, [frames, added], [replaced])).toEqual([])
})

test('error: an intended difference that applies to no line', () => {
  expect(differencesBetween([frames], [frames], [stateGone])).toEqual([
    'The intended difference "snapshots have another form" applies to no line: remove it',
  ])
})

test('error: two lines with one name', () => {
  expect(() => differencesBetween([first, first], [])).toThrow('"state: block 1"')
})

test('error: a shallow clone does not have the reference', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallow-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder])
  await expect(adding('test/equality/dump.ts', folder)).rejects.toThrow('git fetch --unshallow')
})
