import type { NodesOptions } from '../kinds/chainKind.ts'
import type { Logger } from '../lib/logger.ts'
import type { StoreConnection } from '../store/connection.ts'
import { createStore } from '../store/openStore.ts'
import { auditChain } from './auditChain.ts'
import type { AuditRequest, AuditResult } from './auditRequest.ts'

export type ThreadAudits = {
  audit(question: AuditRequest, signal: AbortSignal): Promise<AuditResult>
  close(): Promise<void>
}

/**
 * Runs audits in the thread that queries nodes for API callers, within that thread's request rates.
 */
export function createThreadAudits(
  connection: StoreConnection,
  logger: Logger,
  rates: NodesOptions['rates'],
): ThreadAudits {
  const store = createStore({ connection, logger, limits: { readConnectionsMax: 1 } })
  return {
    async audit(question, signal) {
      const rangeBlocks = question.to - question.from + 1
      // The chain's own thread already re-checks unverified blocks.
      const terms = { hasDoubts: false, rangeBlocks, rates }
      const audited = auditChain({ ...question, ...terms, store, logger, signal })
      // Reject at once on abort: waiting for a slow node would make this thread look hung.
      const aborted = new Promise<never>((_, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason), { once: true })
      })
      return await Promise.race([audited, aborted])
    },
    close: () => store.close(),
  }
}
