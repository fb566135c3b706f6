import { describe } from 'vitest'
import { describeLog } from '../../../../test/support/logContract.ts'
import { createMemoryLog } from './memoryLog.ts'

describe('in memory', () =>
  describeLog(async () => {
    const log = createMemoryLog('local')
    return {
      chainId: 1,
      writer: log,
      openReader: () => log,
      saveSnapshot: async (seq) => log.saveSnapshot(seq),
    }
  }))
