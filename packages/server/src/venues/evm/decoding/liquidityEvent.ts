import type { DecodedLiquidity } from '../../../model/decodedBlock.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { BlockScope } from './blockScope.ts'

type Movement = Pick<DecodedLiquidity, 'kind' | 'sender' | 'amount0' | 'amount1'>

/**
 * A liquidity event of the pool that emitted the log, without reserves: the log does not have them.
 */
export function liquidityEvent(log: EvmLog, scope: BlockScope, moved: Movement): DecodedLiquidity {
  return {
    type: 'liquidity',
    kind: moved.kind,
    sender: moved.sender,
    amount0: moved.amount0,
    amount1: moved.amount1,
    index: log.logIndex,
    txHash: log.transactionHash,
    wallet: scope.walletOr(moved.sender),
    pool: log.address,
    reserve0: null,
    reserve1: null,
    priceRaw: null,
    venues: scope.venues,
  }
}
