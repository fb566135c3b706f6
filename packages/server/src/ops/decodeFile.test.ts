import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { recordedSwaps, recordedTransactions } from '../../../../test/support/solana/recorded.ts'
import { toParsed } from '../../../../test/support/solana/toParsed.ts'
import { toWire } from '../../../devnet/src/solana/toWire.ts'
import { encodeBase58 } from '../lib/bytes/base58.ts'
import type { SwapSummary } from '../model/swapLine.ts'
import { type DecodeFileOptions, decodeFile } from './decodeFile.ts'

const transactions = recordedTransactions()
const swaps = recordedSwaps()
const folder = resolve(import.meta.dirname, '../../../../test/fixtures/solana')

async function linesOf(
  input: Buffer | string,
  source = '-',
  chain = 'solana',
  chains: DecodeFileOptions['chains'] = undefined,
): Promise<SwapSummary[]> {
  const lines: SwapSummary[] = []
  const readInput = async () => Buffer.from(input)
  const onNote = () => undefined
  const onSwap = (line: SwapSummary) => void lines.push(line)
  await decodeFile({ chain, chains, source, readInput, onNote, onSwap })
  return lines
}

function expected(signature: string, first = 0): SwapSummary[] {
  return swaps[signature]!.map(
    ([venue, pool, sold, soldAmount, bought, boughtAmount, wallet], at) => ({
      tx: signature,
      index: first + at,
      venue,
      pool,
      wallet,
      sold: { token: sold, amount: soldAmount },
      bought: { token: bought, amount: boughtAmount },
    }),
  )
}

test('default: decodes a file of one transaction: plain or gzip, UTF-8 or UTF-16', async () => {
  for (const [signature, transaction] of transactions) {
    const path = resolve(folder, `${signature}.json.gz`)
    expect(await linesOf('', path)).toEqual(expected(signature))
    expect(await linesOf(gunzipSync(readFileSync(path)))).toEqual(expected(signature))
    const inBytes = { ...transaction, transaction: toWire(transaction) }
    expect(await linesOf(JSON.stringify({ jsonrpc: '2.0', id: 1, result: inBytes }))).toEqual(
      expected(signature),
    )
  }
})

test('behavior: numbers swaps through a block, and per transaction for single transactions', async () => {
  const all = [...transactions]
  const block = { parentSlot: 1, blockhash: 'a', transactions: all.map(([, one]) => one) }
  let count = 0
  const inBlock = all.flatMap(([signature]) => {
    const lines = expected(signature, count)
    count += lines.length
    return lines
  })
  const alone = all.flatMap(([signature]) => expected(signature))
  expect(await linesOf(gzipSync(JSON.stringify({ result: block })))).toEqual(inBlock)
  expect(await linesOf(JSON.stringify(all.map(([, one]) => one)))).toEqual(alone)
  expect(await linesOf(all.map(([, one]) => JSON.stringify(one)).join('\n'))).toEqual(alone)
  expect(await linesOf(JSON.stringify({ saved: { by: 'me', what: [{ block }] } }))).toEqual(inBlock)
})

test('error: names the input that cannot be decoded', async () => {
  await expect(linesOf('{"a":1}')).rejects.toMatchObject({ code: 'DECODE_NO_TRANSACTIONS' })
  await expect(linesOf('{"b"')).rejects.toMatchObject({
    code: 'DECODE_INPUT',
    meta: expect.arrayContaining(['Reason: It is not JSON.']),
  })
  await expect(linesOf('', '/nowhere/at/all')).rejects.toMatchObject({ code: 'DECODE_INPUT' })
  await expect(linesOf('{}', '-', 'moon')).rejects.toMatchObject({ code: 'DECODE_NO_LOGS' })
  const answer = { meta: { err: null }, transaction: { accountKeys: [], signatures: [] } }
  await expect(linesOf(JSON.stringify(answer))).rejects.toMatchObject({ code: 'DECODE_ENCODING' })
})

test('behavior: encodings jsonParsed and base58 give the same swaps', async () => {
  let parsed = 0
  for (const [signature, transaction] of transactions) {
    const inWords = toParsed(transaction)
    parsed += JSON.stringify(inWords).split('"parsed"').length - 1
    expect(await linesOf(JSON.stringify(inWords)), signature).toEqual(expected(signature))
    const [bytes] = toWire(transaction)
    const digits = encodeBase58(Buffer.from(bytes, 'base64'))
    // The oldest nodes return the digits without naming their encoding.
    for (const inDigits of [[digits, 'base58'], digits])
      expect(await linesOf(JSON.stringify({ ...transaction, transaction: inDigits }))).toEqual(
        expected(signature),
      )
  }
  expect(parsed).toBeGreaterThan(300)
})

test('behavior: decodes a configured venue by its account positions', async () => {
  const signature = [...transactions.keys()].find((one) => one.startsWith('1J3X41t9'))!
  const next = 'FLiNTXPwppyoJabCoxc2uiiRygAHpmMXajiDXo2Ub1z'
  const text = JSON.stringify(transactions.get(signature))
  const renamed = text.replaceAll('SSwapUtytfBdBn1b9NUGG6foMVPtcWgpRU32HToDUZr', next)
  const rest = expected(signature).filter(({ venue }) => venue !== 'saros')
  expect(await linesOf(renamed)).toEqual(rest)
  const venuesOf = (...venues: object[]) =>
    ({ solana: { kind: 'solana', venues } }) as unknown as DecodeFileOptions['chains']
  const venue = { program: next, pool: 0, user: 2 }
  for (const [name, chains] of [
    [next, venuesOf(venue)],
    ['flint', venuesOf({ ...venue, name: 'flint' })],
  ] as const)
    expect(await linesOf(renamed, '-', 'solana', chains)).toEqual(
      expected(signature).map((line) => (line.venue === 'saros' ? { ...line, venue: name } : line)),
    )
})
