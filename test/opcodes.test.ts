// The table of EVM instructions that risk reports analyze code with, compared with an EVM that runs
// each instruction.
import { expect, test } from 'vitest'
import { createProvider, type Provider } from '../packages/devnet/src/node/provider.ts'
import { evaluateBinary, evaluateUnary } from '../packages/server/src/risk/evm/code/evaluateWord.ts'
import { arityOf, opcode } from '../packages/server/src/risk/evm/code/instructions.ts'

const at = `0x${'aa'.repeat(20)}`
const push0 = '5f'
const pop = '50'
const itemsMax = 8
// CLZ exists since Osaka; the test chain runs the rules of Prague.
const later = 0x1e
// Instructions that end the execution: no later instruction runs.
const last: readonly number[] = [
  opcode.stop,
  opcode.jump,
  opcode.return,
  opcode.revert,
  opcode.invalid,
  opcode.selfDestruct,
]

/** Runs the code and returns the EVM's error, or an empty text. */
async function errorOf({ request }: Provider, code: string): Promise<string> {
  const call = [{ to: at, gas: '0x100000' }, 'latest', { [at]: { code: `0x${code}` } }]
  return await request('eth_call', call).then(
    () => '',
    (error: Error) => error.message,
  )
}

/** The smallest number of stack items with which the code causes no stack underflow. */
async function itemsNeeded(evm: Provider, code: string): Promise<number> {
  for (let count = 0; count <= itemsMax; count++)
    if ((await errorOf(evm, push0.repeat(count) + code)) !== 'StackUnderflow') return count
  throw new Error(`0x${code} needs more than ${itemsMax} items.`)
}

test('behavior: every instruction takes and returns as many items as in an EVM', async () => {
  const evm = await createProvider({ chainId: 1, genesisS: 1_700_000_000, privateKeys: [] })
  const found: unknown[] = []
  const expected: unknown[] = []
  for (let op = 0; op < 256; op++) {
    if ((op >= opcode.push0 && op <= opcode.swap16) || op === later) continue
    const code = op.toString(16).padStart(2, '0')
    const arity = arityOf[op]
    const isKnown = op === opcode.invalid || !/invalid opcode|Not/.test(await errorOf(evm, code))
    const takes = await itemsNeeded(evm, code)
    // Two POPs need two items: each one that the instruction left on the stack is one fewer needed
    // in advance.
    const pops = last.includes(op) ? 0 : (await itemsNeeded(evm, code + pop.repeat(2))) - takes
    found.push([code, isKnown, takes, 2 - pops])
    const gives = last.includes(op) ? 2 : (arity?.gives ?? 2)
    expected.push([code, arity !== undefined, arity?.takes ?? 0, gives])
  }
  expect(found).toEqual(expected)
})

const wordMax = 2n ** 256n - 1n
const words = [0n, 1n, 2n, 3n, 5n, 31n, 32n, 255n, 256n, 257n, 2n ** 160n - 1n, 2n ** 255n, wordMax]
const hexOf = (word: bigint) => word.toString(16).padStart(64, '0')

/** What the EVM leaves on top of the stack after each of these codes. */
async function resultsOf({ request }: Provider, codes: readonly string[]): Promise<bigint[]> {
  // Each result is stored (PUSH2 offset MSTORE), and all of them are returned.
  const stores = codes.map((code, at) => `${code}61${(32 * at).toString(16).padStart(4, '0')}52`)
  const code = `0x${stores.join('')}61${(32 * codes.length).toString(16).padStart(4, '0')}5ff3`
  const call = [{ to: at, gas: '0x1000000' }, 'latest', { [at]: { code } }]
  const data = (await request('eth_call', call)) as string
  return codes.map((_, place) => BigInt(`0x${data.slice(2 + 64 * place, 66 + 64 * place)}`))
}

const folded = [0x01, 0x02, 0x03, 0x04, 0x06, 0x0a, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17]
const foldedLater = [0x18, 0x1b, 0x1c]

test('every computed instruction gives what an EVM gives, at all edges of a word', async () => {
  const evm = await createProvider({ chainId: 1, genesisS: 1_700_000_000, privateKeys: [] })
  const pairs = words.flatMap((a) => words.map((b) => [a, b] as const))
  for (const op of [...folded, ...foldedLater]) {
    const name = op.toString(16).padStart(2, '0')
    // Nothing is computed for a large base, whose powers only waste time.
    const known = pairs.filter(([a]) => op !== 0x0a || a <= 256n)
    const codes = known.map(([a, b]) => `7f${hexOf(b)}7f${hexOf(a)}${name}`)
    const expected = await resultsOf(evm, codes)
    expect(
      known.map(([a, b]) => evaluateBinary(op, a, b)),
      name,
    ).toEqual(
      // An exponent over 256 counts as zero: no compiler writes it but for powers of two.
      expected.map((result, i) => (op === 0x0a && known[i]![1] > 256n ? 0n : result)),
    )
  }
  expect(evaluateBinary(0x0a, 257n, 2n)).toBe(null)
  for (const op of [0x15, 0x19]) {
    const name = op.toString(16)
    const expected = await resultsOf(
      evm,
      words.map((a) => `7f${hexOf(a)}${name}`),
    )
    expect(
      words.map((a) => evaluateUnary(op, a)),
      name,
    ).toEqual(expected)
  }
  expect([
    evaluateBinary(0x05, 4n, 2n),
    evaluateUnary(0x50, 4n),
    evaluateUnary(0x15, null),
  ]).toEqual([null, null, null])
})
