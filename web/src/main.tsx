import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ActionsPage } from './pages/actions';
import { BackfillsPage } from './pages/backfills';
import { CalendarPage } from './pages/calendar';
import { CalendarEditor } from './pages/calendar-editor';
import { CalendarsPage } from './pages/calendars';
import { DeadLettersPage } from './pages/dead-letters';
import { DoctorPage } from './pages/doctor';
import { JobPage } from './pages/job';
import { JobEditor } from './pages/job-editor';
import { JobsPage } from './pages/jobs';
import { LiveRunPage } from './pages/live-run';
import { LoginPage } from './pages/login';
import { NodesPage } from './pages/nodes';
import { OverduePage } from './pages/overdue';
import { OverridesPage } from './pages/overrides';
import { OverviewPage } from './pages/overview';
import { PausesPage } from './pages/pauses';
import { RunPage } from './pages/run';
import { RunningPage } from './pages/running';
import { RunsPage } from './pages/runs';
import { ScheduleFilePage } from './pages/schedule-file';
import { TimelinePage } from './pages/timeline';
import { TriggerPage } from './pages/trigger';
import { TriggerEditor } from './pages/trigger-editor';
import { TriggersPage } from './pages/triggers';
import { loadSession, logIn } from './state/api';
import { href, route } from './state/router';
import { session } from './state/session';
import './style.css';
import { EmptyState, ErrorMessage } from './ui/basics';
import { Frame, Heading } from './ui/frame';

function Page() {
  const [first = '', second, third, fourth] = route.value.path;
  switch (first) {
    case '':
      return <OverviewPage />;
    case 'timeline':
      return <TimelinePage />;
    case 'jobs':
      return fourth === 'edit' ? <JobEditor key="edit" /> : third === undefined ? <JobsPage /> : <JobPage />;
    case 'new-job':
      return <JobEditor key="new" />;
    case 'triggers':
      return fourth === 'edit' ? (
        <TriggerEditor key="edit" />
      ) : third === undefined ? (
        <TriggersPage />
      ) : (
        <TriggerPage />
      );
    case 'new-trigger':
      return <TriggerEditor key="new" />;
    case 'calendars':
      return third === 'edit' ? (
        <CalendarEditor key="edit" />
      ) : second === undefined ? (
        <CalendarsPage />
      ) : (
        <CalendarPage />
      );
    case 'new-calendar':
      return <CalendarEditor key="new" />;
    case 'runs':
      return second === undefined ? <RunsPage /> : <RunPage />;
    case 'running':
      return second === undefined ? <RunningPage /> : <LiveRunPage key={second} />;
    case 'dead-letters':
      return <DeadLettersPage />;
    case 'overdue':
      return <OverduePage />;
    case 'backfills':
      return <BackfillsPage />;
    case 'overrides':
      return <OverridesPage />;
    case 'pauses':
      return <PausesPage />;
    case 'schedule-file':
      return <ScheduleFilePage />;
    case 'doctor':
      return <DoctorPage />;
    case 'actions':
      return <ActionsPage />;
    case 'nodes':
      return <NodesPage />;
    default:
      return (
        <>
          <Heading title="Not found" />
          <EmptyState>
            This page does not exist. <a href={href([])}>Go to the overview</a>
          </EmptyState>
        </>
      );
  }
}

function App() {
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    logInByAddress().then(loadSession).catch(setError);
  }, []);
  if (error !== null)
    return (
      <main class="login">
        <h1>Quartz</h1>
        <ErrorMessage error={error} />
      </main>
    );
  if (session.value === undefined) return null;
  if (session.value === null) return <LoginPage />;
  return (
    <Frame>
      <Page />
    </Frame>
  );
}

/** Logs in with the token in the hash of a printed address, and removes it there. Browsers do not send the hash, so no server log contains it. */
async function logInByAddress(): Promise<void> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', '#/');
  dispatchEvent(new HashChangeEvent('hashchange'));
  await logIn({ secret: decodeURIComponent(token) });
}

render(<App />, document.getElementById('app') as HTMLElement);
