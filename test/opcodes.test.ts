// The table of EVM instructions that risk reports analyze code with, compared with an EVM that runs
// each instruction.
import { expect, test } from 'vitest'
import { createProvider, type Provider } from '../packages/devnet/src/node/provider.ts'
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
