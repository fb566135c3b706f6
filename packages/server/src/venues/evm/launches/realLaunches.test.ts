// Launches of real transactions: token, creator and pool are those of the named chain and
// transaction.
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'

const ref = { number: 7, hash: '0x01', parentNumber: 6, parentHash: '0x00', timeS: 1_700_000_000 }

function decode(log: EvmLog) {
  const { events, counts } = decodeLogs({ ref, logs: [log], senders: new Map() })
  expect(counts.malformed).toBe(0)
  return events
}

type Hex = `0x${string}`
type PoolKey = readonly [Hex, Hex, number, number, Hex]
/** The id of a Uniswap V4 pool, which proves that the values belong together. */
const poolIdOf = (key: PoolKey) =>
  keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), key),
  )

test('default: a launch on four.meme (bsc 0x5c0196ed...)', () => {
  const word = (hex: string) => hex.padStart(64, '0')
  const name = `${word('9')}505553535942555454${'0'.repeat(46)}`
  const data = [
    word('fd6a82b417e0ced80d5086830a37f6374e27ec4a'),
    word('2f0a0f50c71a605704fb729d5fd448789284ffff'),
    ...['61c9fd6', '100', '140', '33b2e3c9fd0803ce8000000', '0', '0'].map(word),
    name,
    name,
  ]
  const log = {
    address: '0x5c952063c7fc8610ffdb798152d69f0b9550762b',
    topics: ['0x396d5e902b675b032348d3d2e9517ee8f0c4a926603fbc075d3d282ff00cad20'],
    data: `0x${data.join('')}`,
    logIndex: 0,
    transactionHash: '0x5c0196eda275b5df822578fee5c7bff84ffdbae2c349cbd1c79efc420af89edc',
  }
  expect(decode(log)).toMatchObject([
    {
      type: 'launch',
      platform: log.address,
      token0: '0x2f0a0f50c71a605704fb729d5fd448789284ffff',
      token1: 'native',
      creator: '0xfd6a82b417e0ced80d5086830a37f6374e27ec4a',
    },
  ])
})

test('behavior: a launch of clanker into a pool of Uniswap V4 (base 0x14e585d7...)', () => {
  const token = '0x3d148d36a944a858f6d8c8e78ef21a01c0caab07'
  const weth = '0x4200000000000000000000000000000000000006'
  const hook = '0xdd5eeaff7bd481ad55db083062b13a3cdf0a68cc'
  const admin = '0xc03e44f9126b2121764a3102db21a0c19bf2e34f'
  const poolId = '0x3c7db4321512ee915df569906088973d89d95908f0eff89fb5621d162769f69a'
  expect(poolIdOf([token, weth, 0x800000, 200, hook])).toBe(poolId)
  const texts = { tokenImage: '', tokenName: 'Cliza', tokenSymbol: 'Cliza', tokenMetadata: '' }
  const args = {
    ...{ msgSender: '0x2112b8456ac07c15fa31ddf3bf713e77716ff3f9', tokenAddress: token },
    ...{ tokenAdmin: admin, ...texts, tokenContext: '', startingTick: -230_400 },
    ...{ poolHook: hook, poolId, pairedToken: weth, extensionsSupply: 0n, extensions: [] },
    locker: '0x63d2dfea64b3433f4071a98665bcd7ca14d93496',
    mevModule: '0xfdc013ce003980889cffd66b0c8329545ae1d1e8',
  }
  const log = encodeLog(venueAbi.createClankerV4, args, {
    address: '0xe85a59c628f7d27878aceb4bf3b35733630083a9',
    logIndex: 45,
    transactionHash: '0x14e585d7d2ed227b2ccbbe3b2071e643b36b3a5540b894f60e3dc1f3988b5ed3',
  })
  expect(decode(log)).toMatchObject([
    { type: 'launch', pool: poolId, isInPool: true, token0: token, creator: admin },
  ])
})

test('behavior: a creator coin of Zora (base 0x310429bc...)', () => {
  const coin = '0xbd7d4fff5050dd1344996c5f35e294cd31b39e68'
  const currency = '0x1111111111166b7fe7bd91427724b487980afc69'
  const hooks = '0xd61a675f8a0c67a73dc3b54fb7318b4d91409040'
  const caller = '0x3e1e64589b5c49101251b02d1ed63c08841a3fbe'
  const poolKeyHash = '0x78de9c0f0e7372b91b9c28f8d474260055d45f6ea0dab2b15aad186657da032d'
  expect(poolIdOf([currency, coin, 30_000, 200, hooks])).toBe(poolKeyHash)
  const poolKey = { currency0: currency, currency1: coin, fee: 30_000, tickSpacing: 200, hooks }
  const args = {
    ...{ caller, payoutRecipient: caller, platformReferrer: `0x${'0'.repeat(40)}`, currency },
    ...{ uri: '', name: 'etian', symbol: 'etian', coin, poolKey, poolKeyHash, version: '1.1.0' },
  }
  const log = encodeLog(venueAbi.createZoraCreator, args, {
    address: '0x777777751622c0d3258f214f9df38e35bf45baf3',
    logIndex: 156,
    transactionHash: '0x310429bc67ea50d2fdb5b7cf051f7b00266b7a6c6d841dfaf95b342be9880638',
  })
  expect(decode(log)).toMatchObject([
    { type: 'launch', pool: poolKeyHash, token0: coin, token1: currency, creator: caller },
  ])
})
