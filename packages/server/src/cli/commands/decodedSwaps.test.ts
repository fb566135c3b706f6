// Wallets and venues that the command prints for swaps in real transactions.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestCli } from '../../../../../test/support/testCli.ts'
import { decodeFile } from '../../ops/decodeFile.ts'

type SwapLine = Parameters<Parameters<typeof decodeFile>[0]['onSwap']>[0]

const folder = join(import.meta.dirname, '../../../../../test/fixtures/evmReceipts')
const files = readdirSync(folder)

async function linesOf(name: string): Promise<SwapLine[]> {
  const file = files.find((one) => one.startsWith(name))!
  const chain = file.split('-')[0]!
  const { out } = await createTestCli({ decodeFile }, '').run(
    'decode',
    '--chain',
    chain,
    join(folder, file),
  )
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SwapLine)
}

// Each owner paid the input of the route's first pool, by the Trade event and the transfer to the
// settlement contract.
test.each([
  [
    'eth-0xfd0e9117',
    { 144: '0x2d6bb7', 148: '0x889233', 151: '0x889233', 155: '0x98265d', 158: '0x98265d' },
  ],
  ['eth-0xd4d16ea7', { 12: '0x31b602', 17: '0x0d2f07', 26: '0xaaedd6' }],
  [
    'eth-0x5871cd5d',
    { 202: '0xf654cb', 208: '0xf654cb', 211: '0xf654cb', 216: '0x43f9a4', 224: '0xc5c75c' },
  ],
  ['gnosis-0xf751e1', { 15: '0xc37b40', 21: '0xc37b40', 29: '0xc37b40' }],
])('behavior: trades of several owners’ orders in %s', async (name, owners) => {
  const lines = await linesOf(name)
  expect(
    Object.fromEntries(lines.map(({ index, wallet }) => [index, wallet?.slice(0, 8)])),
  ).toEqual(owners)
})

// Amounts and tokens of the transfers beside the events; the native coin moves without one.
test.each([
  ['base-0x16b0e096', 203, 'algebra', '0x833589', '10000', '0xe5f2fe', '9988'],
  [
    'base-0x46d434c0',
    284,
    'sparkPsm',
    '0x5875ee',
    '16539774682836928356',
    '0x820c13',
    '17000000000000000000',
  ],
  [
    'eth-0x020b4772',
    195,
    'mooniswap',
    '0x0bc529',
    '24952630407590973',
    '0x000000',
    '939779139036474196',
  ],
  [
    'eth-0xf536d216',
    198,
    'defiPlaza',
    '0x4e3fbd',
    '123752093462535229122',
    '0x000000',
    '478028001557687637',
  ],
  [
    'scroll-0x442e96',
    2,
    'syncSwap',
    '0xf610a9',
    '42810448486080933',
    '0x530000',
    '50193226744779576',
  ],
] as const)('behavior: %s/%i is a swap of %s', async (name, index, venue, ...sides) => {
  const lines = await linesOf(name)
  const swap = lines.find((one) => one.index === index)!
  expect(swap.venue).toBe(venue)
  const shown = [swap.sold, swap.bought].flatMap(({ token, amount }) => [
    token?.slice(0, 8),
    amount,
  ])
  expect(shown).toEqual(sides)
})
