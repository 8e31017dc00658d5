import type { Attributes } from '@opentelemetry/api';
import type { Scheduler } from '../api/scheduler';
import type { TriggerFiring } from '../domain/firing';
import type { JobKey, TriggerKey } from '../domain/keys';
import { occurrenceOf } from '../domain/occurrence';

export type NodeAttributes = Attributes;

/** Returns the attributes of this node. Names follow OpenTelemetry's semantic conventions for messaging; all other names start with `quartz`. */
export function ofNode(scheduler: Pick<Scheduler, 'getSchedulerName' | 'getSchedulerInstanceId'>): NodeAttributes {
  return {
    'messaging.system': 'quartz',
    'messaging.client.id': scheduler.getSchedulerInstanceId(),
    'quartz.scheduler': scheduler.getSchedulerName(),
  };
}

export function ofJob({ name, group }: JobKey): Attributes {
  return { 'quartz.job.name': name, 'quartz.job.group': group };
}

export function ofTrigger({ name, group }: TriggerKey): Attributes {
  return { 'quartz.trigger.name': name, 'quartz.trigger.group': group };
}

/** Returns the attributes of a run: its occurrence, attempt and refires. Job data is not included. */
export function ofFiring(firing: TriggerFiring, refireCount: number): Attributes {
  const { id, triggerKey, scheduledTime, attempt, shard } = occurrenceOf(firing);
  const { key, jobType } = firing.jobDetail;
  return {
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': jobType,
    'messaging.message.id': firing.runId,
    ...ofJob(key),
    ...ofTrigger(triggerKey),
    'quartz.scheduled_time': new Date(scheduledTime).toISOString(),
    'quartz.occurrence.id': id,
    'quartz.attempt': attempt,
    ...(refireCount > 0 && { 'quartz.refire_count': refireCount }),
    ...(firing.recovering && { 'quartz.recovering': true }),
    ...(shard !== undefined && { 'quartz.shard.index': shard.index, 'quartz.shard.count': shard.count }),
  };
}
