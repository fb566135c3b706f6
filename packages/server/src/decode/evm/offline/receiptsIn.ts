import { createReceiptFinder, type OfflineReceipt } from './findReceipts.ts'
import { isLog, isOfOne } from './rawLog.ts'

type Values = Iterable<unknown> | AsyncIterable<unknown>

// Of a day there are millions.
const logsHeldMax = 100_000

export type ReceiptsInOptions = {
  /** Who signed what, as far as it is known; more is added. */
  senders: Map<string, string>
  /** Told at the end if there were logs that could not be read. */
  onUnread(logs: number): void
}

/** The receipts in values that stand one after the other. Logs that stand alone are of the same transactions. */
export async function* receiptsIn(
  values: Values,
  { senders, onUnread }: ReceiptsInOptions,
): AsyncGenerator<OfflineReceipt[]> {
  const finder = createReceiptFinder(senders)
  const receiptsOf = (value: unknown) => {
    const receipts = finder.find(value)
    return receipts === null ? [] : [receipts]
  }
  let logs: unknown[] = []
  for await (const value of values) {
    if (isLog(value)) {
      if (logs.length > logsHeldMax && !isOfOne(value, logs.at(-1))) {
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
  if (finder.unread() > 0) onUnread(finder.unread())
}
