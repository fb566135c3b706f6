import {
  createReceiptFinder,
  type OfflineReceipt,
  type OnSkip,
  type Senders,
} from './findReceipts.ts'
import { isLog, isOfOne } from './rawLog.ts'

type Values = Iterable<unknown> | AsyncIterable<unknown>

// Of a day there are millions.
const logsHeldMax = 100_000

export type ReceiptsInOptions = {
  /** Who signed what, as far as it is known; more is added. */
  senders: Senders
  /** @default not counted */
  onSkip?: OnSkip | undefined
}

/** The receipts in values that stand one after the other. Logs that stand alone are of the same transactions. */
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
}
