import { expect, test, vi } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { SecondOpinion } from './intake.ts'
import { createVerifier } from './verifyBlock.ts'

const decode = (name: string) => ({ ref: { number: 7 }, name }) as unknown as DecodedBlock

/** Blocks are names; those that begin with "odd" are not plausible. */
function open(opinion: SecondOpinion<string>) {
  const accept = vi.fn()
  const confirm = vi.fn(async () => opinion)
  const verifier = createVerifier<string>({
    ...{ chain: 'x', logger: createLogger('silent'), intake: { confirm, decode } },
    plausibility: {
      doubt: (block) => {
        const { name } = block as unknown as { name: string }
        return name.startsWith('odd') ? 'it is odd' : null
      },
      accept,
    },
  })
  return { accept, confirm, verify: (name: string) => verifier.verify(name, decode(name), null) }
}

test('default: nobody is asked about what is plausible', async () => {
  const { verify, confirm, accept } = open({ type: 'alone' })
  expect(await verify('plain')).toEqual({ decoded: decode('plain'), doubt: null })
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
  expect(await verify('odd')).toEqual({ decoded: decode(taken), doubt })
  expect(accept).toHaveBeenCalledWith(decode(taken))
})
