import { expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import { RpcError } from './errors.ts'
import {
  commit,
  createFollowState,
  findBranch,
  progressOf,
  revertTo,
  runSteps,
  switchBranch,
} from './follow.ts'

const startNumber = 1

/**
 * Builds a chain from branch letters for numbers from 1 on; a dot means no block. Block 5 of branch
 * b is `5b`.
 */
function chainOf(letters: string): BlockRef[] {
  const refs: BlockRef[] = []
  for (const [at, letter] of [...letters].entries()) {
    if (letter === '.') continue
    const number = startNumber + at
    const parent = refs.at(-1)
    const { number: parentNumber, hash: parentHash } = parent ?? { number: 0, hash: '0z' }
    refs.push({ number, hash: `${number}${letter}`, parentNumber, parentHash, timeS: number })
  }
  return refs
}

function follow(letters: string, { held = letters.length, finalizedNumber = -1 } = {}) {
  return createFollowState({
    chain: 'local',
    startNumber,
    known: chainOf(letters).slice(-held),
    finalizedNumber,
    reorgDepthMax: 100,
    finality: { type: 'depth', blocks: 100 },
    retryMs: 1,
    logger: createLogger('silent'),
    signal: new AbortController().signal,
  })
}

/**
 * Returns where the branch diverges from the known blocks. `blamed`: the branch cannot be followed.
 */
async function search(state: ReturnType<typeof follow>, theirs: readonly BlockRef[]) {
  let isBlamed = false
  const branch = await findBranch(
    state,
    {
      parent: async ({ parentHash }) => theirs.find(({ hash }) => hash === parentHash) ?? null,
      blame() {
        isBlamed = true
      },
    },
    { ref: theirs.at(-1)!, endpoint: 0 },
  )
  return isBlamed ? 'blamed' : branch
}

test.each([
  ['aaaaa', 'aaaab', 4],
  ['aaaaa', 'aaabbb', 3],
  ['aaaaa', 'abbbb', 1],
  ['aaaaa', 'abb', 1],
  ['aa.aa', 'aa.ab', 4],
  ['aa.aa', 'aa..bb', 2],
])('default: %s and %s part after block %i', async (ours, theirs, ancestorNumber) => {
  expect(await search(follow(ours), chainOf(theirs))).toMatchObject({ ancestorNumber })
})

test('behavior: a branch that goes on from the newest block says which blocks were missed', async () => {
  const branch = await search(follow('aaa'), chainOf('aaaa.aa'))
  expect(branch).toEqual({ ancestorNumber: 3, missed: [4, 6] })
})

test('behavior: where nothing is final, all blocks since the start may be replaced', async () => {
  expect(await search(follow('aaa'), chainOf('bbbb'))).toMatchObject({ ancestorNumber: 0 })
})

test.each([
  ['below the blocks held', { held: 2 }],
  ['below the final block', { finalizedNumber: 4 }],
])('error: a branch that parts %s is never followed', async (_, options) => {
  const state = follow('aaaaaa', options)
  expect(await search(state, chainOf('aabbbbb'))).toMatchObject({ ancestorNumber: 3 })
  await expect(revertTo(state, 3).next()).rejects.toMatchObject({ code: 'REORG_TOO_DEEP' })
})

test('behavior: an invented parent leads nowhere, and is never too deep', async () => {
  const ref = { ...chainOf('aaaax').at(-1)!, parentHash: 'invented' }
  expect(await search(follow('aaaaaa', { held: 1 }), [ref])).toBe('blamed')
})

test('behavior: a parent with another number is not followed', async () => {
  const [first, second, ...rest] = chainOf('abbb')
  const moved = { ...second!, number: 7 }
  expect(await search(follow('aaaa'), [first!, moved, ...rest])).toBe('blamed')
})

test('behavior: a step that throws what no retry mends ends the events', async () => {
  const steps = runSteps(follow('a'), async function* () {
    yield 1
    throw new RangeError('a fault of ours')
  })
  expect((await steps.next()).value).toBe(1)
  await expect(steps.next()).rejects.toThrow('a fault of ours')
})

test('a step that a node failed is repeated, and its error is known until one succeeds', async () => {
  const state = follow('a')
  let tries = 0
  const seen: (string | null)[] = []
  const steps = runSteps(state, async function* () {
    tries += 1
    seen.push(progressOf(state).lastError?.text ?? null)
    if (tries === 2 || tries === 3)
      throw new RpcError({ kind: 'timeout', method: 'm', endpoint: null, detail: 'too slow' })
    yield tries
  })
  expect([(await steps.next()).value, (await steps.next()).value]).toEqual([1, 4])
  await steps.next()
  expect(seen.map((text) => text !== null)).toEqual([false, false, true, true, false])
})

test('blocks are held up to the depth of reorgs, and counted while they are reverted', async () => {
  const state = createFollowState({ ...follow('aaa'), known: chainOf('aaa'), reorgDepthMax: 5 })
  const held = [state.heldCount]
  const facts = { origin: { endpoint: 0, isProven: false }, receivedMs: 1 }
  for (const ref of chainOf('aaaaaa').slice(3)) {
    commit(state, { ref }, facts)
    held.push(state.heldCount)
  }
  expect(held).toEqual([3, 4, 5, 5])
  expect(state).toMatchObject({ cursor: { number: 6, hash: '6a', timeS: 6 } })
  const reverted: number[] = []
  for await (const event of revertTo(state, 4))
    if (event.type === 'revert') reverted.push(event.ref.number)
  expect(reverted).toEqual([6, 5])
  expect(state).toMatchObject({ heldCount: 3, reorgCount: 1, cursor: { number: 4, hash: '4a' } })
  await expect(revertTo(state, 0).next()).rejects.toMatchObject({ code: 'REORG_DEEP' })
})

test('a branch is switched to only where another node does not keep our block', async () => {
  const theirs = chainOf('aab')
  const tip = { ref: theirs.at(-1)!, endpoint: 1 }
  const parent = async ({ parentHash }: BlockRef) =>
    theirs.find(({ hash }) => hash === parentHash) ?? null
  for (const isKept of [true, false]) {
    const state = follow('aaa')
    const asked: unknown[] = []
    const keeps = async (ours: { number: number; hash: string | null }) => {
      asked.push([ours.number, ours.hash])
      return isKept
    }
    const types: string[] = []
    const nodes = { parent, keeps, blame: () => types.push('blame') }
    for await (const { type } of switchBranch(state, nodes, tip)) types.push(type)
    expect(types).toEqual(isKept ? [] : ['revert'])
    expect(asked).toEqual([[3, '3a']])
    expect(state.cursor.number).toBe(isKept ? 3 : 2)
  }
})
