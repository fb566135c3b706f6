import type { LogDecoder } from '../decoding/blockScope.ts'
import { orNative, pushPoolLaunch } from '../decoding/curveEvents.ts'
import { dataLength, readAddress, readBytes32 } from '../decoding/hexWords.ts'
import type { EvmVenue } from '../venue.ts'

/**
 * Caller, then currency, uri, name, symbol, coin, and the pool: an address, or a key of five words
 * and its hash.
 */
function coinDecoder(poolAt: number, isId: boolean): LogDecoder {
  return (log, scope) => {
    if (log.topics.length !== 4 || log.data.length < dataLength(poolAt + 2)) return false
    const creator = scope.addresses.ofTopic(log.topics[1]!)
    const quote = readAddress(log.data, 0)
    const token = readAddress(log.data, 4)
    const pool = isId ? readBytes32(log.data, poolAt) : readAddress(log.data, poolAt)
    if (creator === null || quote === null || token === null || pool === null) return false
    pushPoolLaunch(log, scope, { token, quote: orNative(quote), creator, pool })
    return true
  }
}

/**
 * Symbol, coin, then the pool's key of five words and its hash. The coin's quote is the key's other
 * currency.
 */
const decodeTrendCoin: LogDecoder = (log, scope) => {
  if (log.topics.length !== 2 || log.data.length < dataLength(10)) return false
  const creator = scope.addresses.ofTopic(log.topics[1]!)
  const [token, ...currencies] = [1, 2, 3].map((at) => readAddress(log.data, at))
  const quote = currencies.find((currency) => currency !== token)
  if (creator === null || !token || !quote || currencies.includes(null)) return false
  const pool = readBytes32(log.data, 7)
  pushPoolLaunch(log, scope, { token, quote: orNative(quote), creator, pool })
  return true
}

/**
 * Zora coins, which trade in Uniswap pools from the start, against the platform's own token or a
 * creator's coin.
 */
export const zora: EvmVenue = {
  name: 'zora',
  kind: 'curve',
  events: {
    // CoinCreated(address indexed caller, address indexed payoutRecipient, address indexed
    // platformReferrer, address currency, string uri, string name, string symbol, address coin,
    // address pool, string version)
    '0x3d1462491f7fa8396808c230d95c3fa60fd09ef59506d0b9bd1cf072d2a03f56': coinDecoder(5, false),
    // CoinCreatedV4 and CreatorCoinCreated: the same up to the coin, then (address currency0,
    // address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey, bytes32
    // poolKeyHash, string version
    '0x2de436107c2096e039c98bbcc3c5a2560583738ce15c234557eecb4d3221aa81': coinDecoder(10, true),
    '0x74b670d628e152daa36ca95dda7cb0002d6ea7a37b55afe4593db7abd1515781': coinDecoder(10, true),
    // TrendCoinCreated(address indexed caller, string symbol, address coin, (address currency0,
    // address currency1, uint24 fee, int24 tickSpacing, address hooks) poolKey, bytes32
    // poolKeyHash, bytes poolConfig, string version)
    '0xfb9e81c36dd4134d4eb5055e20d3238cb29a63daef0dd0f8b0f131da85891959': decodeTrendCoin,
  },
}
