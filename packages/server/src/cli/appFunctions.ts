import type { openKeys } from '../app/openKeys.ts'
import type { readStoredStatus } from '../app/readStoredStatus.ts'
import type { runBackfill } from '../app/runBackfill.ts'
import type { startApp } from '../app/startApp.ts'

/** The program's functions behind the commands; only types here, so that `--help` loads none of them. */
export type AppFunctions = {
  startApp: typeof startApp
  runBackfill: typeof runBackfill
  readStoredStatus: typeof readStoredStatus
  openKeys: typeof openKeys
}
