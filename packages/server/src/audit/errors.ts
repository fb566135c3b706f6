import { AppError } from '../lib/errors.ts'

/** Nodes do not return the blocks that are to be compared. */
export class AuditUnansweredError extends AppError {
  constructor(facts: { chain: string; number: number; silentS: number; reason: string | null }) {
    const { chain, number, silentS, reason } = facts
    super('AUDIT_UNANSWERED', `No node tells block ${number} of "${chain}".`, {
      retryable: true,
      meta: [`Waited: ${silentS} s`, ...(reason === null ? [] : [`Last answer: ${reason}`])],
    })
  }
}

/** The stored data was replaced during the comparison. */
export class AuditDataReplacedError extends AppError {
  constructor({ chain }: { chain: string }) {
    super('AUDIT_REPLACED', `A longer or truer history of "${chain}" took its place meanwhile.`, {
      retryable: true,
      meta: ['Run the audit again: it compares what is stored now.'],
    })
  }
}

export class AuditRangeError extends AppError {
  constructor(facts: { chain: string; from: number; to: number; first: number; last: number }) {
    const { chain, from, to, first, last } = facts
    super('AUDIT_RANGE', `Blocks ${from} to ${to} of "${chain}" are not stored.`, {
      meta: [`Stored: ${first} to ${last}`],
    })
  }
}

/** Exit code 1, for timers that run the audit. */
export class AuditDiffersError extends AppError {
  constructor({ count, isHandedOver }: { count: number; isHandedOver: boolean }) {
    super('AUDIT_DIFFERENCES', `${count} things are stored otherwise than the chain has them.`, {
      meta: [
        isHandedOver
          ? 'The service that runs reads the chain again: chaintape status shows how far it is.'
          : 'Read the chain again where a block differs: chaintape audit --repair',
      ],
    })
  }
}
