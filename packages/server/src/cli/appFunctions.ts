import type { backupData } from '../app/backupData.ts'
import type { openKeys } from '../app/openKeys.ts'
import type { readStoredStatus } from '../app/readStoredStatus.ts'
import type { restoreData } from '../app/restoreData.ts'
import type { runBackfill } from '../app/runBackfill.ts'
import type { startApp } from '../app/startApp.ts'

/** The program's functions behind the commands; only types here, so that `--help` loads none of them. */
export type AppFunctions = {
  startApp: typeof startApp
  runBackfill: typeof runBackfill
  readStoredStatus: typeof readStoredStatus
  openKeys: typeof openKeys
  backupData: typeof backupData
  restoreData: typeof restoreData
}
