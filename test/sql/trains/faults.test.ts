import { WITH_FAULTS } from './courses';
import { describeCourses } from './describe-courses';

describeCourses('a train whose connection fails leaves what an acquisition under the lock would leave', {
  courses: WITH_FAULTS,
  hasFaults: true,
  share: 24,
});
