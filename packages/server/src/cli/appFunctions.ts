import type { backupData } from '../app/data/backupData.ts'
import type { readStoredStatus } from '../app/data/readStoredStatus.ts'
import type { restoreData } from '../app/data/restoreData.ts'
import type { openKeys } from '../app/keys/openKeys.ts'
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
