import { expect, test } from 'vitest'
import type { Operation, Serving } from '../operation/operation.ts'
import { liveExamples } from './liveExamples.ts'

test('behavior: each operation is asked in a turn of its own', async () => {
  const seen: string[] = []
  const operations = ['a', 'b', 'c'].map((id) => ({
    id,
    inputs: {},
    answers: 'rows',
    async run() {
      seen.push(id)
      return { json: '{}' }
    },
  })) as unknown as Operation[]
  const turns = {
    place: () => 7,
    // As outside of any turn.
    isOver: () => false,
    next: async (place: number) => void seen.push(`turn at ${place}`),
  }
  const clock = { nowMs: () => 0 }
  const serving = { chains: new Map(), clock, turns } as unknown as Serving
  const examples = await liveExamples(operations, serving, 'contract')
  expect([...examples.keys()]).toEqual(['a', 'b', 'c'])
  expect(seen).toEqual(['turn at 7', 'a', 'turn at 7', 'b', 'turn at 7', 'c'])
})
