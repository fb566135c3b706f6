import { nativeToken } from '../../../model/pool.ts'
import type { LogDecoder } from '../decoding/blockScope.ts'
import { orNative, pushPoolLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readBytes32 } from '../decoding/hexWords.ts'
import { poolWithFirstLiquidity } from '../decoding/transactionFacts.ts'
import type { EvmVenue } from '../venue.ts'

const decodeClankerV4: LogDecoder = (log, scope) => {
  if (log.topics.length !== 3 || log.data.length < dataLength(14)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const creator = scope.addresses.ofTopic(log.topics[2]!)
  const quote = readAddress(log.data, 9)
  if (token === null || creator === null || quote === null) return false
  pushPoolLaunch(log, scope, {
    token,
    quote: orNative(quote),
    creator,
    pool: readBytes32(log.data, 8),
  })
  return true
}

/** Earlier versions used Uniswap V3; the transfer of the tokens shows the pool. */
const decodeClankerV3: LogDecoder = (log, scope) => {
  if (log.topics.length !== 4 || log.data.length < dataLength(11)) return false
  const token = scope.addresses.ofTopic(log.topics[1]!)
  const creator = scope.addresses.ofTopic(log.topics[2]!)
  if (token === null || creator === null) return false
  const pool = poolWithFirstLiquidity(scope, token)
  if (pool !== null) pushPoolLaunch(log, scope, { token, quote: nativeToken, creator, pool })
  return true
}

/**
 * clanker: all of a token is liquidity of a Uniswap pool from the start, and the pool's swaps are
 * its trades.
 */
export const clanker: EvmVenue = {
  name: 'clanker',
  kind: 'curve',
  events: {
    // TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin,
    // string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string
    // tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken,
    // address locker, address mevModule, uint256 extensionsSupply, address[] extensions)
    '0x9299d1d1a88d8e1abdc591ae7a167a6bc63a8f17d695804e9091ee33aa89fb67': decodeClankerV4,
    // TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed
    // interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256
    // positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string
    // metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address
    // msgSender)
    '0x6b04d68ca5c822b9c981d731c83ecb1356b96c8596c7659d397d234856a4537b': decodeClankerV3,
  },
}
