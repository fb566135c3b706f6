// Recorded trades of pump.fun and PumpSwap, rewritten to the instructions of October 2026, decode
// to the same swaps.
import { expect, test } from 'vitest'
import {
  type RecordedTransaction,
  recordedTransactions,
} from '../../../../../test/support/solana/recorded.ts'
import { decodeBase58, encodeBase58 } from '../../lib/bytes/base58.ts'
import type { RpcInstruction } from '../../model/solana/rpcTransaction.ts'
import { pumpFun } from '../../venues/solana/pumpFun.ts'
import { pumpSwap } from '../../venues/solana/pumpSwap.ts'
import { createSolanaDecodeCounts, decodeSolanaTransactions } from './decodeSolanaBlock.ts'

/**
 * Tags of the new instructions, and the place of each account in the old one; -1 if the old one
 * lacks it.
 */
type Form = { tags: readonly string[]; places?: readonly number[] }

// mint, curve, vault, user and userTokens are at 1, 5, 6, 8 and 9 of the new one.
const fromV1 = [0, 2, -1, -1, -1, 3, 4, -1, 6, 5, -1, -1, -1, -1, -1, 10, 11]
const fromV2 = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1]
const curveBuys = ['07051dc4f5176550', 'e1f7501ed5b38488']
const curveSells = ['1c92de7726c469d5']

const forms: Readonly<Record<string, Form>> = {
  [`${pumpSwap.programs[0]} 66063d1201daebea`]: { tags: ['b817ee6167c5d33d', 'c2ab1c46684d5b2f'] },
  [`${pumpSwap.programs[0]} 33e685a4017f83ad`]: { tags: ['5df6823ce7e940b2'] },
  [`${pumpFun.programs[0]} 66063d1201daebea`]: { tags: curveBuys, places: fromV1 },
  [`${pumpFun.programs[0]} 38fc74089edfcd5f`]: { tags: curveBuys, places: fromV1 },
  [`${pumpFun.programs[0]} 33e685a4017f83ad`]: { tags: curveSells, places: fromV1 },
  [`${pumpFun.programs[0]} b817ee6167c5d33d`]: { tags: curveBuys, places: fromV2 },
  [`${pumpFun.programs[0]} c2ab1c46684d5b2f`]: { tags: curveBuys, places: fromV2 },
  [`${pumpFun.programs[0]} 5df6823ce7e940b2`]: { tags: curveSells, places: fromV2 },
}

/** Replaces the instructions in `forms`. `used` collects their new tags. */
function renewed(
  recorded: RecordedTransaction,
  variant: number,
  used: Set<string>,
): RecordedTransaction {
  const { message } = recorded.transaction
  const { writable = [], readonly = [] } = recorded.meta!.loadedAddresses ?? {}
  const keys = [...message.accountKeys, ...writable, ...readonly]
  const renew = (instruction: RpcInstruction): RpcInstruction => {
    const data = decodeBase58(instruction.data as string)!
    const form = forms[`${keys[instruction.programIdIndex]} ${data.toString('hex', 0, 8)}`]
    if (form === undefined) return instruction
    const { accounts } = instruction
    const tag = form.tags[variant % form.tags.length]!
    used.add(tag)
    return {
      ...instruction,
      accounts: form.places?.map((place) => accounts[place] ?? 0) ?? accounts.slice(0, 17),
      data: encodeBase58(Buffer.concat([Buffer.from(tag, 'hex'), data.subarray(8)])),
    }
  }
  const innerInstructions = recorded.meta!.innerInstructions?.map((inner) => ({
    ...inner,
    instructions: inner.instructions.map(renew),
  }))
  const instructions = message.instructions.map(renew)
  return {
    ...recorded,
    meta: { ...recorded.meta!, innerInstructions: innerInstructions ?? null },
    transaction: { ...recorded.transaction, message: { ...message, instructions } },
  }
}

test('default: a trade in its form of October 2026 is the swap that it was in the old form', () => {
  const used = new Set<string>()
  const counts = createSolanaDecodeCounts()
  for (const [signature, recorded] of recordedTransactions()) {
    const before = decodeSolanaTransactions([recorded])
    for (const variant of [0, 1]) {
      const after = decodeSolanaTransactions([renewed(recorded, variant, used)], { counts })
      expect(after, signature).toEqual(before)
    }
  }
  expect(counts.malformed).toBe(0)
  expect(used).toEqual(new Set(Object.values(forms).flatMap(({ tags }) => tags)))
})

test('behavior: fees that a real v2 sale left in the vault are no part of the price', () => {
  const recorded = recordedTransactions().get(
    'AcrDzvioiPqkicQX7qNHdWqEkVJC3sCk6Xn9AbxZdCjCujQqqT4q4AbbFdGndNJS6nPrrKpocoGQxJp8M35Qwg7',
  )!
  const [swap] = decodeSolanaTransactions([recorded])
  const [base, reserve0, reserve1] = [3_143_049_857n, 74_476_535_292_699n, 218_824_750_144n]
  const virtualBefore = 17_584_418_739n
  // Fees of the platform without its buyback, and of the creator.
  const kept = 4_989n - 2_494n + 84_808n
  expect(swap).toMatchObject({ reserve0, reserve1, told: [virtualBefore - kept] })
  const effective = Number(reserve1 + virtualBefore - kept)
  expect(swap).toMatchObject({ priceRaw: effective / Number(reserve0) })
  // The constant product of the effective reserves gives the event's output, to the lamport.
  const effectiveBefore = 218_834_620_214n + virtualBefore
  expect((base * effectiveBefore) / reserve0).toBe(9_977_328n)
})
