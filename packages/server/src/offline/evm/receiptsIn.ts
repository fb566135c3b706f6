import {
  createReceiptFinder,
  type OfflineReceipt,
  type OnSkip,
  type Senders,
} from './findReceipts.ts'
import { isLog, isSameTransaction } from './rawLog.ts'

type Values = Iterable<unknown> | AsyncIterable<unknown>

// A day has millions.
const logsHeldMax = 100_000

export type ReceiptsInOptions = {
  /** Signers known so far; reading adds to them. */
  senders: Senders
  /** @default none */
  onSkip?: OnSkip | undefined
}

/**
 * Yields the receipts of consecutive values. Loose logs of one transaction are joined across
 * values.
 */
export async function* receiptsIn(
  values: Values,
  { senders, onSkip }: ReceiptsInOptions,
): AsyncGenerator<OfflineReceipt[]> {
  const finder = createReceiptFinder(senders, onSkip)
  const receiptsOf = (value: unknown) => {
    const receipts = finder.find(value)
    return receipts === null ? [] : [receipts]
  }
  let logs: unknown[] = []
  for await (const value of values) {
    if (isLog(value)) {
      if (logs.length > logsHeldMax && !isSameTransaction(value, logs.at(-1))) {
        yield* receiptsOf(logs)
        logs = []
      }
      logs.push(value)
      continue
    }
    yield* receiptsOf(logs)
    logs = []
    yield* receiptsOf(value)
  }
  yield* receiptsOf(logs)
}
