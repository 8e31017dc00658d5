import { WITHOUT_FAULT } from './courses';
import { describeCourses } from './describe-courses';

describeCourses('a train leaves what an acquisition under the lock would leave, before or after the event', {
  courses: [WITHOUT_FAULT],
  hasFaults: false,
  share: 9,
});
