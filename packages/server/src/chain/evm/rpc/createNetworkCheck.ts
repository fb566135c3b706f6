import type { Logger } from '../../../lib/logger.ts'
import { RpcError } from '../../errors.ts'
import { parseQuantity } from '../rawBlock.ts'
import type { Post } from './createPost.ts'
import type { Health } from './health.ts'

export type NetworkCheckOptions = {
  name: string
  post: Post
  health: Health
  /** The chain that the endpoint must be of. */
  chainId: number
  logger: Logger
}

/** Asks an endpoint which chain it is of, before it is used and after it was away. */
export type NetworkCheck = {
  /** Null: it is of the right one. Else why it must not be used now. Never rejects. */
  fault(): Promise<RpcError | null>
  /** The connection was lost: whoever answers next may be of another chain. */
  forget(): void
}

// An address that leads to another network is a mistake in the config, or one of the provider that may be mended.
const askAgainMs = 60_000

export function createNetworkCheck(options: NetworkCheckOptions): NetworkCheck {
  const { name, post, health, chainId, logger } = options
  let asked: Promise<RpcError | null> | null = null

  async function ask(): Promise<RpcError | null> {
    const method = 'eth_chainId'
    // Shared by all who wait for it, so that none of them may end it.
    const [result] = await post([{ method, params: [] }], new AbortController().signal)
    if (!result!.ok) {
      asked = null
      return result!.error
    }
    const found = parseQuantity(result!.value)
    if (found === chainId) return null
    const detail = `It is of chain ${Number.isNaN(found) ? String(result!.value) : found}, not ${chainId}`
    const error = new RpcError({ kind: 'wrongNetwork', method, endpoint: name, detail })
    health.onError(error)
    logger.error({ msg: 'Refused an endpoint of another network', endpoint: name, detail })
    setTimeout(() => {
      asked = null
    }, askAgainMs).unref()
    return error
  }

  return {
    fault() {
      asked ??= ask()
      return asked
    },
    forget() {
      asked = null
    },
  }
}
