import { expect, test, vi } from 'vitest'
import type { SecondOpinion } from '../../kinds/intake.ts'
import { createLogger } from '../../lib/logger.ts'
import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { ChainReader } from '../../resolve/chainReader.ts'
import { createBlockVerifier } from './verifyBlocks.ts'

const reported = { type: 'sync', pool: '0xpool', reserve0: 5n, reserve1: 6n }
const decode = (name: string) =>
  ({ ref: { number: 7, hash: 'h' }, name, events: [reported] }) as unknown as DecodedBlock

/** Blocks are strings; those that begin with "odd" are implausible. */
function open(opinion: SecondOpinion<string>) {
  const accept = vi.fn()
  const recordMismatch = vi.fn()
  const confirm = vi.fn(async () => opinion)
  const readReserves = vi.fn<ChainReader['readReserves']>(async () => [null])
  const reader = { readReserves }
  const verifier = createBlockVerifier<string>({
    chain: 'x',
    logger: createLogger('silent'),
    intake: { confirm, decode, reader },
    plausibility: {
      findDoubt: (block) => {
        const { name } = block as unknown as { name: string }
        if (!name.startsWith('odd')) return null
        const disagreeing = name.startsWith('odd at') ? ['0xpool'] : null
        return { reason: 'it is odd', disagreeing }
      },
      accept,
      recordMismatch,
      revert: vi.fn(),
    },
  })
  const verify = (name: string) => verifier.verify(name, decode(name), null)
  return { accept, confirm, verify, learn: recordMismatch, readReserves }
}

test('default: asks no node about a plausible block', async () => {
  const { verify, confirm, accept } = open({ type: 'alone' })
  const decoded = decode('plain')
  expect(await verify('plain')).toEqual({ block: 'plain', decoded, doubt: null })
  expect(confirm).not.toHaveBeenCalled()
  expect(accept).toHaveBeenCalledWith(decode('plain'))
})

test.each<[string, SecondOpinion<string>, string, string | null]>([
  ['right', { type: 'right' }, 'odd', null],
  ['wrong', { type: 'wrong', block: 'true' }, 'true', null],
  ['alone', { type: 'alone' }, 'odd', 'it is odd'],
  [
    'split',
    { type: 'split', others: ['odd too', 'plain'] },
    'plain',
    'endpoints disagree, and it is odd',
  ],
  ['split', { type: 'split', others: ['odd too'] }, 'odd', 'endpoints disagree, and it is odd'],
])('behavior: %s', async (_, opinion, taken, doubt) => {
  const { verify, accept } = open(opinion)
  expect(await verify('odd')).toEqual({ block: taken, decoded: decode(taken), doubt })
  expect(accept).toHaveBeenCalledWith(decode(taken))
})

test('behavior: accepts an unconfirmed block if the pools report the same reserves', async () => {
  const { verify, learn, readReserves } = open({ type: 'alone' })
  readReserves.mockResolvedValue([{ reserve0: 5n, reserve1: 6n }])
  expect((await verify('odd at a pool')).doubt).toBeNull()
  expect(readReserves).toHaveBeenCalledWith(['0xpool'], { number: 7, hash: 'h' })
  expect(learn.mock.calls).toEqual([[['0xpool'], true]])
})

test.each([
  ['something else', async () => [{ reserve0: 5n, reserve1: 7n }]],
  ['nothing', async () => [null]],
  ['only that they fail', () => Promise.reject(new Error('no'))],
])('behavior: doubts an unconfirmed block if the pools report %s', async (_, answer) => {
  const { verify, learn, readReserves } = open({ type: 'alone' })
  readReserves.mockImplementation(answer)
  expect((await verify('odd at a pool')).doubt).toBe('it is odd')
  expect(learn.mock.calls).toEqual([[['0xpool'], false]])
})

test('behavior: queries no pool if reserves cannot explain the doubt', async () => {
  const { verify, learn, readReserves } = open({ type: 'alone' })
  expect((await verify('odd')).doubt).toBe('it is odd')
  expect(readReserves).not.toHaveBeenCalled()
  expect(learn).not.toHaveBeenCalled()
})
